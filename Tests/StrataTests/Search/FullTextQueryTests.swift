import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

/// A search that compares word by word, for the expected results.
struct NaiveSearch {
  enum Kind: CaseIterable { case words, anyWord, phrase, prefix, prefixes }

  let kind: Kind
  let words: [Word]

  init(_ random: inout SeededRandom) {
    kind = random.pick(Kind.allCases)
    words = Prose(1 + random.below(3), &random).words
  }

  private var typed: String { words.map(\.text).joined(separator: " ") }

  var text: SearchText {
    switch kind {
    case .words: .words(typed)
    case .anyWord: .anyWord(of: typed)
    case .phrase: .phrase(typed)
    case .prefix: .prefix(typed)
    case .prefixes: .prefixes(typed)
    }
  }

  /// Returns whether any of the texts has the tokens next to each other.
  private func has(_ tokens: [String], begun: Bool, in texts: [[String]]) -> Bool {
    texts.contains { text in
      text.indices.contains { start in
        guard text.count - start >= tokens.count else { return false }
        return tokens.indices.allSatisfy { index in
          let word = text[start + index]
          return begun && index == tokens.count - 1
            ? word.hasPrefix(tokens[index]) : word == tokens[index]
        }
      }
    }
  }

  func matches(_ texts: [[String]]) -> Bool {
    // An embedded NUL separates words, too.
    let terms = words.flatMap { word in
      word.text.contains("\0") ? word.tokens.map { [$0] } : [word.tokens]
    }
    let some = terms.filter { !$0.isEmpty }
    if some.isEmpty { return false }
    switch kind {
    case .words: return some.allSatisfy { has($0, begun: false, in: texts) }
    case .anyWord: return some.contains { has($0, begun: false, in: texts) }
    case .phrase: return has(some.flatMap { $0 }, begun: false, in: texts)
    case .prefixes: return some.allSatisfy { has($0, begun: true, in: texts) }
    case .prefix:
      // Only the last word may be incomplete, and it may have no letter.
      return terms.enumerated().allSatisfy { index, term in
        term.isEmpty || has(term, begun: index == terms.count - 1, in: texts)
      }
    }
  }

  func matches(_ page: Page) -> Bool {
    matches([Prose(reading: page.title).tokens, Prose(reading: page.body ?? "").tokens])
  }
}

@Suite(.inTurn) struct FullTextQueryTests {
  private func fill(
    _ stack: Stack, _ count: Int, _ random: inout SeededRandom
  ) async throws -> [Page] {
    var pages: [Page] = []
    let scratch = stack.makeScratch()
    for shelf in 0..<5 {
      scratch.insert(Shelf(id: Int64(shelf), name: Prose(2, &random).text))
    }
    for number in 0..<count {
      var page = page("\(1000 + number)", &random)
      page.shelfID = random.oneIn(3) ? nil : Int64(random.below(7))
      scratch.insert(page)
      pages.append(page)
    }
    try await scratch.save()
    return pages
  }

  @Test func `generated searches find what a plain search of words finds`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let pages = try await fill(stack, 250, &random)
    let tokens = Dictionary(
      uniqueKeysWithValues: pages.map { page in
        (page.id, [page.title, page.body ?? ""].map { Prose(reading: $0).tokens })
      })
    let shelves = try await stack.fetch(Shelf.all)
    let names = Dictionary(
      uniqueKeysWithValues: shelves.map { ($0.id, [Prose(reading: $0.name).tokens]) })
    var hits = 0
    for _ in 0..<60 {
      let search = NaiveSearch(&random)
      let text = search.text
      func isIn(_ page: Page) -> Bool { search.matches(tokens[page.id] ?? []) }
      func isOnShelf(_ page: Page) -> Bool {
        page.shelfID.flatMap { names[$0] }.map(search.matches) ?? false
      }
      func check(
        _ name: String, _ query: Query<Page>, _ expected: (Page) -> Bool
      ) async throws {
        let found = try await stack.fetch(query).map(\.id)
        let count = try await stack.viewContext.count(query)
        #expect(found == pages.filter(expected).map(\.id), "\(name) of \(search)")
        #expect(count == found.count, "\(name) of \(search)")
        hits += count
      }
      try await check("matching", .all.matching(text), isIn)
      try await check("not", Page.where { !$0.matches(text) }) { !isIn($0) }
      try await check("title", Page.where { $0.matches(text, in: \.title) }) {
        search.matches(Array(tokens[$0.id]?.prefix(1) ?? []))
      }
      try await check("body and stars", Page.where { $0.matches(text, in: \.body) && $0.stars > 1 })
      { search.matches(Array(tokens[$0.id]?.suffix(1) ?? [])) && $0.stars > 1 }
      try await check("shelf", Page.where { $0.shelf.matches(text) }, isOnShelf)
      try await check("no shelf", Page.where { !$0.shelf.matches(text) || $0.matches(text) }) {
        !isOnShelf($0) || isIn($0)
      }
    }
    #expect(hits > 2_000)
    await stack.close()
  }

  @Test func `no text that somebody types is syntax`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { $0.insert(Page(id: "1", title: "grace notes")) }
    let pieces = [
      "\"", "'", "*", "-", "+", "^", "(", ")", "{", "}", ":", "AND", "OR", "NOT", "NEAR(", "grace",
      "\0", " ", "\n", "🎵", "\u{301}", "é", "\\", ",", "title", "", "\u{FFFF}", "%", "?1", ";--",
    ]
    for _ in 0..<120 {
      let text = (0..<random.below(6)).map { _ in random.pick(pieces) }.joined()
      for search in [
        SearchText.words(text), .anyWord(of: text), .phrase(text), .prefix(text), .prefixes(text),
      ] {
        _ = try await stack.fetch(Page.matching(search))
      }
    }
    let long = (0..<5_000).map { "w\($0)" }.joined(separator: " ")
    #expect(try await stack.fetch(Page.matching(long)).isEmpty)
    #expect(try await stack.fetch(Page.matching(.anyWord(of: long + " grace"))).count == 1)
    await stack.close()
  }

  @Test(arguments: [
    "grace AND", "nope : grace", "\"grace", "* grace", "*reads", "NEAR(", "", "  ", "a\0b", "{x} :",
    "rank : x", "grace)", "(", "^",
  ])
  func `a malformed expression is a clear error`(expression: String) async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let page = Page(id: "1", title: "grace notes")
    try await stack.withScratch { $0.insert(page) }
    let query = Page.matching(.expression(expression))
    #expect(await failure { try await stack.fetch(query) }?.code == .invalidQuery)
    #expect(await failure { try await stack.viewContext.count(query) }?.code == .invalidQuery)
    let view = await stack.viewContext
    await view.update(page) { $0.title = "edited" }
    #expect(await failure { try await view.search(query) }?.code == .invalidQuery)
    // The error does no harm to later queries.
    #expect(try await stack.fetch(Page.matching("notes")).count == 1)
    await stack.close()
  }

  @Test(arguments: [
    "grace) OR {body} : (notes", "notes) OR (grace", "(grace", "((grace)", "grace)", ") OR (",
    "\"a\")(",
  ])
  func `an expression cannot leave the attribute that it is asked of`(expression: String)
    async throws
  {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { $0.insert(Page(id: "1", title: "grace", body: "notes")) }
    let query = Page.where { $0.matches(.expression(expression), in: \.title) }
    #expect(await failure { try await stack.fetch(query) }?.code == .invalidQuery)
    for harmless in ["\"grace)\"", "(grace OR notes)", "\"(\" OR (grace)", "\"\"\")\" OR grace"] {
      let query = Page.where { $0.matches(.expression(harmless), in: \.title) }
      #expect(try await stack.fetch(query).count == 1, "\(harmless)")
    }
    await stack.close()
  }

  @Test func `a search of edits stops with the read that it is made for`() throws {
    let model = try Model([Page.self, Shelf.self])
    let table = model.table(of: Page.self)
    let index = try #require(table.search?.text)
    let matcher = try TextMatcher(index)
    let reader = try Connection(path: "", access: .memory, busyTimeout: .zero)
    let pages = try (0..<2_000).map { number in
      try table.encode(Page(id: "\(number)", title: "grace"), RecordBuilder())
    }
    let flag = CancellationFlag()
    reader.installCancellation(flag)
    #expect(try matcher.matches(of: "grace", among: pages, for: reader).count == 2_000)
    flag.raise()
    let error = #expect(throws: StoreError.self) {
      _ = try matcher.matches(of: "grace", among: pages, for: reader)
    }
    #expect(error?.code == .cancelled)
    reader.removeCancellation()
    #expect(try matcher.matches(of: "grace", among: pages, for: reader).count == 2_000)
  }

  @Test func `an expression is what FTS5 reads`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      scratch.insert(Page(id: "1", title: "grace notes", body: "river"))
      scratch.insert(Page(id: "2", title: "river", body: "grace"))
    }
    let found = { (expression: String) in
      try await stack.fetch(Page.matching(.expression(expression))).map(\.id)
    }
    #expect(try await found("title : grace") == ["1"])
    #expect(try await found("grace NOT notes") == ["2"])
    #expect(try await found("gra* AND (river OR lake)") == ["1", "2"])
    #expect(try await found("NEAR(grace notes, 1)") == ["1"])
    await stack.close()
  }

  @Test func `relevance is BM25 with the attributes' weights`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    _ = try await fill(stack, 200, &random)
    let query = Page.matching(.anyWord(of: "grace notes cafe")).where { $0.stars > 0 }
    let file = try Connection(path: stack.store.writer.options.path)
    let statement = try file.prepare(
      """
      SELECT p.id FROM pages p JOIN "strata_text.""pages\""" f ON f.rowid = p.rowid
      WHERE f."strata_text.""pages\""" MATCH 'grace OR notes OR cafe' AND p.stars > 0
      ORDER BY bm25(f."strata_text.""pages\""", 4.0, 1.0), p.id
      """)
    var expected: [String] = []
    while try statement.step() { expected.append(statement.string(0)) }
    #expect(expected.count > 20)
    #expect(try await stack.fetch(query.sortedByRelevance()).map(\.id) == expected)
    let part = query.sortedByRelevance().limit(5).offset(3)
    #expect(try await stack.fetch(part).map(\.id) == Array(expected[3..<8]))
    let view = await stack.viewContext
    let results = try await view.search(query)
    #expect(results.map(\.entity.id) == expected)
    #expect(try await stack.search(query).map(\.excerpt) == results.map(\.excerpt))
    #expect(zip(results, results.dropFirst()).allSatisfy { $0.relevance >= $1.relevance })
    #expect(results.allSatisfy { $0.relevance > 0 && !$0.excerpt.matches.isEmpty })
    let byStars = query.sorted(by: \.stars, order: .reverse)
    #expect(
      try await view.search(byStars.limit(9)).map(\.entity)
        == (try await stack.fetch(byStars.sortedByRelevance().limit(9))))
    await stack.close()
  }

  @Test func `a title counts four times as much`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      scratch.insert(Page(id: "a", title: "other words", body: "grace"))
      scratch.insert(Page(id: "b", title: "grace", body: "other words"))
    }
    #expect(
      try await stack.fetch(Page.matching("grace").sortedByRelevance()).map(\.id) == ["b", "a"])
    await stack.close()
  }

  @Test func `relevance without a search that every row must meet is refused`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    for query in [
      Page.all.sortedByRelevance(),
      Page.where { $0.matches("x") || $0.stars > 1 }.sortedByRelevance(),
      Page.where { !$0.matches("x") }.sortedByRelevance(),
      Page.where { $0.shelf.matches("x") }.sortedByRelevance(),
    ] {
      #expect(await failure { try await stack.fetch(query) }?.code == .invalidQuery)
    }
    struct Plain: Entity {
      var id = ""
      var text = ""
      static let schema = Schema<Plain>("plain", key: \.id) { Attribute(\.text) }
    }
    let plain = try await Stack.temporary(Plain.self)
    #expect(await failure { try await plain.fetch(Plain.matching("x")) }?.code == .invalidQuery)
    let other = Page.where { $0.matches(.words("x"), in: \.id) }
    #expect(await failure { try await stack.fetch(other) }?.code == .invalidQuery)
    await plain.close()
    await stack.close()
  }

  // MARK: - Excerpts

  @Test func `excerpts show what matched`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let words = (0..<100).map { "word\($0)" }
    let long = (words + ["Café", "🎵", "notes"] + words).joined(separator: " ")
    let page = Page(id: "1", title: "a\0cafe\u{301} <b>", body: long)
    try await stack.withScratch { $0.insert(page) }
    let view = await stack.viewContext
    let found = try await view.search(Page.matching("cafe").limit(1), excerptLength: 8)
    let result = try #require(found.first)
    let title = try #require(result.highlighted(\.title))
    #expect(title.text.unicodeScalars.elementsEqual("a cafe\u{301} <b>".unicodeScalars))
    #expect(title.matches.map { String(title.text[$0]) } == ["cafe\u{301}"])
    let body = try #require(result.highlighted(\.body))
    #expect(body.text == long)
    #expect(body.matches.map { body.text[$0] } == ["Café"])
    #expect(result.highlighted(\.id) == nil)

    let phrase = try await view.search(
      Page.where { $0.matches(.phrase("cafe notes"), in: \.body) }, excerptLength: 4)
    let excerpt = try #require(phrase.first).excerpt
    #expect(excerpt.text.hasPrefix("…") && excerpt.text.hasSuffix("…"))
    #expect(excerpt.matches.map { excerpt.text[$0] } == ["Café 🎵 notes"])
    #expect(excerpt.text.split(separator: " ").count < 8)
    await stack.close()
  }

  // MARK: - Tokenizers

  @Test func `a tokenizer decides what a word is`() async throws {
    struct Stemmed: Entity {
      var id = ""
      var text = ""
      static let schema = Schema<Stemmed>("stemmed", key: \.id) {
        Attribute(\.text).fullText()
        FullText<Stemmed>(.porter(.unicode61(removesDiacritics: false)), prefixes: 3)
      }
    }
    struct Parts: Entity {
      var id = ""
      var text = ""
      static let schema = Schema<Parts>("parts", key: \.id) {
        Attribute(\.text).fullText()
        FullText<Parts>(.trigram)
      }
    }
    let stack = try await Stack.temporary(Stemmed.self, Parts.self)
    try await stack.withScratch { scratch in
      scratch.insert(Stemmed(id: "1", text: "running in cafés"))
      scratch.insert(Parts(id: "1", text: "a harpsichord"))
    }
    #expect(try await stack.viewContext.count(Stemmed.matching("runs café")) == 1)
    #expect(try await stack.viewContext.count(Stemmed.matching("cafe")) == 0)
    #expect(try await stack.viewContext.count(Parts.matching("PSICH")) == 1)
    #expect(try await stack.viewContext.count(Parts.matching("ps")) == 1)
    #expect(try await stack.viewContext.count(Parts.matching("sp")) == 0)
    try stack.checkSearch()
    await stack.close()
  }
}
