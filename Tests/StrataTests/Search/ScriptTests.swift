import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// A text of words and separators in several scripts, and the text as searches compare it.
private struct Script {
  var text = ""
  /// Without case and diacritics, with spaces between words.
  var plain = ""
  /// Without case, with spaces for NULs.
  var caseless = ""

  /// The letters of words: as written, without case and diacritics, without case.
  private static let letters: [(text: String, plain: String, caseless: String)] = [
    ("a", "a", "a"), ("B", "b", "b"), ("é", "e", "é"), ("E\u{301}", "e", "e\u{301}"),
    ("ế", "e", "ế"), ("ß", "ss", "ss"), ("S", "s", "s"), ("İ", "i", "i\u{307}"), ("ı", "ı", "ı"),
    ("ά", "α", "ά"), ("Α", "α", "α"), ("ς", "σ", "σ"), ("Σ", "σ", "σ"), ("ᾳ", "α", "αι"),
    ("ё", "е", "ё"), ("Е", "е", "е"), ("Й", "и", "й"), ("שָׁ", "ש", "שָׁ"), ("ש", "ש", "ש"),
    ("כָּ", "כ", "כָּ"), ("كَ", "ك", "كَ"), ("ك", "ك", "ك"), ("が", "か", "が"), ("か", "か", "か"),
    ("か\u{3099}", "か", "か\u{3099}"), ("部", "部", "部"), ("署", "署", "署"), ("한", "한", "한"),
    ("कि", "कि", "कि"), ("ก่", "ก่", "ก่"), ("🎵", " ", "🎵"), ("7", "7", "7"),
  ]
  private static let separators = [" ", " ", "-", "\0", "! "]

  mutating func append(_ text: String, _ plain: String, _ caseless: String) {
    self.text += text
    self.plain += plain
    self.caseless += caseless
  }

  mutating func append(separator: String) {
    append(separator, " ", separator == "\0" ? " " : separator)
  }

  mutating func appendWord(_ length: Int, _ random: inout SeededRandom) {
    for _ in 0..<length {
      let letter = random.pick(Self.letters)
      append(letter.text, letter.plain, letter.caseless)
    }
  }

  init() {}

  /// Creates the text of a row.
  init(_ random: inout SeededRandom) {
    for _ in 0..<random.below(5) {
      appendWord(1 + random.below(5), &random)
      append(separator: random.pick(Self.separators))
    }
  }

  /// The words of the text, as an index of words has them.
  var words: [Substring] { plain.split(separator: " ") }

  /// Returns whether a text has the words beside each other; the last word may be a beginning.
  func hasWords(of part: Script, isPrefix: Bool) -> Bool {
    let (all, wanted) = (words, part.words)
    guard let last = wanted.last, all.count >= wanted.count else { return false }
    return (0...all.count - wanted.count).contains { start in
      zip(all[start...], wanted.dropLast()).allSatisfy(==)
        && (isPrefix
          ? all[start + wanted.count - 1].unicodeScalars.starts(with: last.unicodeScalars)
          : all[start + wanted.count - 1] == last)
    }
  }

  func hasPart(_ part: Script) -> Bool {
    let (all, wanted) = (Array(caseless.utf8), Array(part.caseless.utf8))
    return all.indices.contains { all[$0...].starts(with: wanted) }
  }
}

/// A search, and the rows that it finds by the words of the article.
private struct ScriptSearch: CustomStringConvertible {
  enum Kind: CaseIterable { case words, anyWord, phrase, prefix, prefixes }

  let kind: Kind
  var parts: [Script] = []
  let inTitle: Bool
  let field: String

  init(_ random: inout SeededRandom) {
    kind = random.pick(Kind.allCases)
    inTitle = random.oneIn(4)
    for _ in 0...random.below(3) {
      var part = Script()
      part.appendWord(1 + random.below(3), &random)
      if random.oneIn(8) { part.append(separator: "-") }
      parts.append(part)
    }
    field = parts.map(\.text).joined(separator: random.oneIn(5) ? "\0" : " ")
  }

  var text: SearchText {
    switch kind {
    case .words: .words(field)
    case .anyWord: .anyWord(of: field)
    case .phrase: .phrase(field)
    case .prefix: .prefix(field)
    case .prefixes: .prefixes(field)
    }
  }

  var description: String { "\(kind) \(field.debugDescription)\(inTitle ? " in the title" : "")" }

  private var joined: Script {
    var joined = Script()
    for (position, part) in parts.enumerated() {
      if position > 0 { joined.append(separator: " ") }
      joined.append(part.text, part.plain, part.caseless)
    }
    return joined
  }

  func findsWords(_ columns: [Script]) -> Bool {
    let columns = inTitle ? [columns[0]] : columns
    func has(_ part: Script, _ isPrefix: Bool) -> Bool {
      columns.contains { $0.hasWords(of: part, isPrefix: isPrefix) }
    }
    if kind == .phrase { return has(joined, false) }
    // A part without a letter is ignored, and nothing matches if no other part is left.
    let parts = parts.enumerated().filter { !$0.element.words.isEmpty }
    if parts.isEmpty { return false }
    func finds(_ position: Int, _ part: Script) -> Bool {
      has(part, kind == .prefixes || kind == .prefix && position == self.parts.count - 1)
    }
    return kind == .anyWord
      ? parts.contains { finds($0.offset, $0.element) }
      : parts.allSatisfy { finds($0.offset, $0.element) }
  }

  func findsParts(_ columns: [Script]) -> Bool {
    let columns = inTitle ? [columns[0]] : columns
    func has(_ part: Script) -> Bool { columns.contains { $0.hasPart(part) } }
    if kind == .phrase { return has(joined) }
    return kind == .anyWord ? parts.contains(where: has) : parts.allSatisfy(has)
  }
}

private struct Words: Entity, Equatable {
  var id = 0
  var title = ""
  var body = ""
  static let schema = Schema<Words>("words", key: \.id) {
    Attribute(\.title).fullText(weight: 2)
    Attribute(\.body).fullText()
  }
}

private struct Parts: Entity, Equatable {
  var id = 0
  var title = ""
  var body = ""
  static let schema = Schema<Parts>("parts", key: \.id) {
    Attribute(\.title).fullText(weight: 2)
    Attribute(\.body).fullText()
    FullText<Parts>(.trigram)
  }
}

/// Searches in texts of many scripts, with NULs, diacritics and words of one character.
///
/// Words of one or two characters were ignored in an index of three characters, so that a deletion
/// by a search deleted too much. A stored text ended at its NUL, and an unsaved one did not.
/// Diacritics of Latin letters alone did not count.
@Suite(.inTurn) struct ScriptTests {
  @Test func `stored and unsaved texts are found as the article says`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Words.self, Parts.self)
    let rows = (0..<40).map { ($0, [Script(&random), Script(&random)]) }
    let unsaved = stack.makeScratch()
    for (id, texts) in rows {
      unsaved.insert(Words(id: id, title: texts[0].text, body: texts[1].text))
      unsaved.insert(Parts(id: id, title: texts[0].text, body: texts[1].text))
    }
    let searches = (0..<60).map { _ in ScriptSearch(&random) }
    for search in searches { try await check(search, rows, unsaved, "unsaved") }
    try await unsaved.save()
    let stored = stack.makeScratch()
    for search in searches { try await check(search, rows, stored, "stored") }
    try stack.checkSearch()
    await stack.close()
  }

  private func check(
    _ search: ScriptSearch, _ rows: [(Int, [Script])], _ scratch: ScratchContext, _ place: String
  ) async throws {
    let comment: Comment = "\(place): \(search)"
    let words = Words.where {
      search.inTitle ? $0.matches(search.text, in: \.title) : $0.matches(search.text)
    }.sorted(by: \.id)
    let parts = Parts.where {
      search.inTitle ? $0.matches(search.text, in: \.title) : $0.matches(search.text)
    }.sorted(by: \.id)
    let wordIDs = rows.filter { search.findsWords($0.1) }.map(\.0)
    let partIDs = rows.filter { search.findsParts($0.1) }.map(\.0)
    #expect(try await scratch.fetch(words).map(\.id) == wordIDs, comment)
    #expect(try await scratch.fetch(parts).map(\.id) == partIDs, comment)
    let others = Parts.where { !$0.matches(search.text) && $0.id >= 0 }
    if !search.inTitle {
      #expect(try await scratch.count(others) == rows.count - partIDs.count, comment)
    }
    #expect(try await scratch.search(parts.sortedByRelevance()).count == partIDs.count, comment)
    let child = scratch.makeScratch()
    #expect(try await child.delete(parts) == partIDs.count, comment)
    #expect(try await child.fetch(parts).isEmpty, comment)
  }

  @Test @MainActor func `a live query finds short parts, and their matches are marked`()
    async throws
  {
    let stack = try await Stack.temporary(Parts.self)
    let view = stack.viewContext
    let live = view.live(Parts.matching("quick 署").sorted(by: \.id))
    try await live.waitUntilLoaded()
    view.insert(Parts(id: 1, title: "Quick fox", body: "部署方案"))
    view.insert(Parts(id: 2, title: "quick", body: "部"))
    try await view.save()
    #expect(live.elements.map(\.id) == [1])
    let found = try await view.search(Parts.matching("quick 署"))
    let result = try #require(found.first)
    #expect(found.count == 1)
    let (title, body) = (result.highlighted(\.title), result.highlighted(\.body))
    #expect(title.map { title in title.matches.map { title.text[$0] } } == ["Quick"])
    #expect(body.map { body in body.matches.map { body.text[$0] } } == ["署"])
    await stack.close()
  }

  @Test func `an expression with a short part is refused, unless an asterisk follows`() async throws
  {
    let stack = try await Stack.temporary(Parts.self, Words.self)
    try await stack.withScratch { $0.insert(Parts(id: 1, title: "quick fox", body: "zz")) }
    for text in ["quick zz", "zz", "title : \"zz\"", "\"zz\" + \"zz\" *", "NEAR(quick zz, 5)", "ſ"]
    {
      let error = await #expect(throws: StoreError.self, "\(text)") {
        try await stack.fetch(Parts.matching(.expression(text)))
      }
      #expect(error?.code == .invalidQuery && error?.message.contains("asterisk") == true)
    }
    for (text, count) in [
      ("quick zz*", 1), ("\"zz\" *", 1), ("title : \"zz\" *", 0), ("NEAR(quick fox, 10)", 1),
      ("quick AND fox", 1), ("{title body} : (fox NOT yy*)", 1),
    ] {
      #expect(try await stack.fetch(Parts.matching(.expression(text))).count == count, "\(text)")
    }
    #expect(try await stack.fetch(Words.matching(.expression("quick zz"))).isEmpty)
    await stack.close()
  }

  @Test func `an index of an earlier version is built again`() async throws {
    enum Earlier {
      struct Words: Entity {
        var id = 0
        var title = ""
        var body = ""
        static let schema = Schema<Words>("words", key: \.id) {
          Attribute(\.title).fullText()
          Attribute(\.body).fullText()
          FullText<Words>(FullTextTokenizer(option: "unicode61 remove_diacritics 2"))
        }
      }
    }
    let file = try TemporaryFolder()
    defer { file.remove() }
    let url = file.url.appendingPathComponent("store.sqlite")
    let old = try await Stack.open(Earlier.Words.self, at: url)
    try await old.withScratch { $0.insert(Earlier.Words(id: 1, title: "Ελλάδα", body: "ёлка")) }
    #expect(try await old.fetch(Earlier.Words.matching("ελλαδα")).isEmpty)
    await old.close()
    let new = try await Stack.open(Words.self, at: url)
    #expect(try await new.fetch(Words.matching("ελλαδα елка")).count == 1)
    try new.checkSearch()
    await new.close()
  }
}
