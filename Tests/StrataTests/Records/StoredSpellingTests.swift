import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private enum Genre: String, AttributeValue { case jazz, soul, other }

/// A JSON value that got the property `lines` in a later version.
private struct Lyrics: JSONValue {
  var language = "en"
  var lines = 0
  init() {}
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    language = try values.decode(String.self, forKey: .language)
    lines = try values.decodeIfPresent(Int.self, forKey: .lines) ?? 0
  }
}

/// A JSON value whose encoding has no order of its own.
private struct Labels: JSONValue {
  var names: Set<String> = []
  var counts: [Genre2: Int] = [:]
  enum Genre2: String, Codable { case a, b, c, d }
}

private struct Sheet: Entity {
  var id = 0
  var title = ""
  var genre = Genre.other
  var lyrics = Lyrics()
  var labels = Labels()
  var price = Decimal(0)
  var home: URL?
  var reals: [Double] = []
  var notes: [String: Int] = [:]
  var isLoud = false

  static let schema = Schema<Sheet>("sheets", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
    Attribute(\.lyrics)
    Attribute(\.labels)
    Attribute(\.price)
    Attribute(\.home)
    Attribute(\.reals)
    Attribute(\.notes)
    Attribute(\.isLoud)
  }
}

/// SQL literals for the attributes of a sheet, each as another program may have written it.
private struct Spelling {
  static let columns = [
    "title", "genre", "lyrics", "labels", "price", "home", "reals", "notes", "isLoud",
  ]

  /// The literals of a row whose values are readable, apart from those that are given.
  static func row(genre: String = "'jazz'", price: String = "'1'") -> [String] {
    [
      "'t'", genre, #"'{"language":"en"}'"#, #"'{"names":[],"counts":[]}'"#, price, "NULL", "'[]'",
      "'{}'", "0",
    ]
  }

  static let literals: [String: [String]] = [
    "title": ["'plain'", "CAST(x'61ff62' AS TEXT)"],
    "genre": ["'jazz'", "'gone'"],
    "lyrics": [
      #"'{"language":"en"}'"#, #"'{ "lines" : 0, "language" : "de" }'"#,
      #"'{"language":"en","lines":2,"more":[1]}'"#, #"'{"language":"en","lines":0}'"#,
    ],
    "labels": [
      #"'{"names":["c","b","a"],"counts":["d",4,"a",1]}'"#,
      #"'{"counts":["b",2,"c",3,"a",1],"names":["x","y","z","w"]}'"#,
    ],
    "price": ["'1.10'", "'1.1'", "'250.00'"],
    "home": ["NULL", "'http://x.test/a b'", "'http://x.test/ä?q=[1]'", "'http://x.test'"],
    "reals": ["'[0.0, -0.0, 1.50]'", "'[]'", "'[1e2]'"],
    "notes": [#"'{"b": 1, "a": 2}'"#, "'{}'", #"'{"a":1}'"#],
    "isLoud": ["0", "1", "2"],
  ]
}

@Suite(.inTurn) @MainActor struct StoredSpellingTests {
  /// A row whose stored text was not the text that Strata writes for its value could neither be
  /// deleted nor edited in that attribute: the save said that another context had changed it. The
  /// text came from an earlier version of a `Codable` type, a migration or another program, or the
  /// type's encoding had no order.
  @Test(arguments: Place.allCases)
  fileprivate func `rows in any spelling are edited and deleted without conflicts`(
    _ place: Place
  ) async throws {
    var random = SeededRandom.printingSeed()
    let file = try SpeltStore()
    try await file.fill(rows: 30, &random)
    let stack = try await file.open()
    let live = stack.viewContext.live(Sheet.sorted(by: \.id))
    try await live.waitUntilLoaded()
    var wanted = try file.rows()
    for id in wanted.keys.sorted() {
      let edit = random.pick(Edit.allCases)
      let policy = random.pick(SavePolicy.allCases)
      let before = stack.historyToken.commit
      let writes = try await place.perform(edit, on: id, in: stack, live, policy)
      edit.expect(&wanted[id])
      if place == .overForeign, edit.leavesTitle { wanted[id]?["title"] = blob("foreign") }
      #expect(try file.rows()[id] == wanted[id], "row \(id): \(edit), \(policy)")
      if !writes { #expect(stack.historyToken.commit == before, "row \(id): \(edit)") }
    }
    await stack.close()
    #expect(try file.rows() == wanted)
  }

  @Test func `an undone save gives back each text as it was`() async throws {
    var random = SeededRandom.printingSeed()
    let file = try SpeltStore()
    try await file.fill(rows: 40, isReadable: true, &random)
    let stack = try await file.open()
    let view = stack.viewContext
    let before = try file.rows()
    for id in before.keys.sorted() {
      let sheet = try await #require(view.find(Sheet.self, id))
      if random.oneIn(2) {
        view.update(sheet) { ($0.lyrics.lines, $0.price, $0.isLoud) = (9, 7, !$0.isLoud) }
      } else {
        view.delete(sheet)
      }
      try await view.save()
      try #require(view.undo()?.isComplete == true, "row \(id)")
      try await view.save()
      #expect(try file.rows()[id] == before[id], "row \(id)")
    }
    await stack.close()
  }

  @Test func `a row that is upserted or inserted with its own values is not written`() async throws
  {
    var random = SeededRandom.printingSeed()
    let file = try SpeltStore()
    try await file.fill(rows: 40, &random)
    let stack = try await file.open()
    let before = (rows: try file.rows(), commit: stack.historyToken.commit)
    for id in before.rows.keys.sorted() {
      // A row with a value that its type cannot read has no values of its own.
      guard let sheet = try? await stack.find(Sheet.self, id) else { continue }
      try await stack.withScratch { scratch in
        if random.oneIn(2) { scratch.upsert(sheet) } else { scratch.insert(sheet) }
      }
      let child = stack.viewContext.makeScratch()
      child.upsert(sheet)
      try await child.save()
      try await stack.viewContext.save()
    }
    #expect(stack.historyToken.commit == before.commit)
    #expect(try file.rows() == before.rows)
    await stack.close()
  }

  /// The article "Attributes and types" says which calls read the row.
  @Test func `a row with a lost case is deleted by its key and by the shown row`() async throws {
    let file = try SpeltStore()
    for _ in 0..<3 {
      try await file.insert(Spelling.row(genre: "'gone'"))
    }
    let stack = try await file.open()
    let view = stack.viewContext
    let live = view.live(Sheet.sorted(by: \.id))
    try await live.waitUntilLoaded()
    for call in 0..<4 {
      let error = await failure {
        switch call {
        case 0: _ = try await view.delete(Sheet.all)
        case 1: _ = try await view.update(Sheet.all) { $0.title = "new" }
        case 2: try await stack.withScratch { try await $0.delete(Sheet.all) }
        default: try await stack.withScratch { try await $0.update(Sheet.all) { $0.title = "new" } }
        }
      }
      #expect(error?.code == .invalidValue && !view.hasChanges)
    }
    view.delete(try #require(live.elements.first))
    view.delete(Sheet.self, 1)
    view.update(try #require(live.elements.last)) { $0.title = "new" }
    try await view.save()
    #expect(live.elements.map(\.title) == ["new"])
    #expect(try file.rows().map { $0.value["genre"] } == [blob("gone")])
    await stack.close()
  }

  /// The article "Attributes and types" lists them.
  @Test func `a decimal is read from the numbers of JSON alone`() async throws {
    let file = try SpeltStore()
    let readable = ["'5'", "'5.0'", "'-0.50'", "'1e3'", "5", "5.5", "1e30", "-0.0"]
    let unreadable = ["'+5'", "'.5'", "'5.'", "'05'", "'1,5'", "'0x5'", "'NaN'", "' 5'", "'5 '"]
    for price in readable + unreadable {
      try await file.insert(Spelling.row(price: price))
    }
    let stack = try await file.open()
    for id in readable.indices {
      #expect(try await stack.find(Sheet.self, id) != nil, "\(readable[id])")
    }
    for (id, text) in unreadable.enumerated() {
      let error = await failure { try await stack.find(Sheet.self, readable.count + id) }
      #expect(error?.code == .invalidValue, "\(text)")
    }
    await stack.close()
  }

  @Test func `an upsert repairs a value that its type cannot read`() async throws {
    let file = try SpeltStore()
    try await file.insert(["'t'", "'gone'", "'{}'", "'{}'", "'x'", "NULL", "'[]'", "'{}'", "0"])
    let stack = try await file.open()
    try await stack.withScratch { $0.upsert(Sheet(id: 0)) }
    #expect(try await stack.find(Sheet.self, 0)?.genre == .other)
    await stack.close()
  }

  @Test func `a rejected edit of the outbox gives back each text as it was`() async throws {
    var random = SeededRandom.printingSeed()
    let file = try SpeltStore()
    try await file.fill(rows: 30, &random)
    let stack = try await file.open()
    let outbox = try await stack.outbox()
    let before = try file.rows()
    for id in before.keys.sorted() {
      guard let sheet = try? await stack.find(Sheet.self, id) else { continue }
      let isDeleted = random.oneIn(2)
      try await stack.withScratch { scratch in
        if isDeleted {
          scratch.delete(sheet)
        } else {
          scratch.update(sheet) { ($0.lyrics.lines, $0.home, $0.title) = (5, nil, "new") }
        }
      }
    }
    try await outbox.push { _ in .refused("no") }
    for refusal in try await outbox.refusals() { #expect(try await outbox.revert(refusal)) }
    #expect(try file.rows() == before)
    await stack.close()
  }

  /// `==` compared texts, and missed a row in another spelling. The matcher of live queries did too.
  @Test func `filters find a value in any spelling, in SQL, in memory and live`() async throws {
    var random = SeededRandom.printingSeed()
    let file = try SpeltStore()
    try await file.fill(rows: 80, isReadable: true, &random)
    let stack = try await file.open()
    let all = try await stack.fetch(Sheet.where { $0.genre == .jazz || $0.genre != .jazz })
    for sheet in all.prefix(5) {
      try await expect(Sheet.where { $0.price == sheet.price }, in: stack, all) {
        $0.price == sheet.price
      }
      try await expect(Sheet.where { $0.home == sheet.home }, in: stack, all) {
        $0.home == sheet.home
      }
      try await expect(Sheet.where { $0.reals != sheet.reals }, in: stack, all) {
        $0.reals != sheet.reals
      }
      try await expect(Sheet.where { $0.lyrics == sheet.lyrics }, in: stack, all) {
        ($0.lyrics.language, $0.lyrics.lines) == (sheet.lyrics.language, sheet.lyrics.lines)
      }
      try await expect(Sheet.where { $0.labels == sheet.labels }, in: stack, all) {
        ($0.labels.names, $0.labels.counts) == (sheet.labels.names, sheet.labels.counts)
      }
      try await expect(Sheet.where { $0.notes.isIn([sheet.notes, [:]]) }, in: stack, all) {
        $0.notes == sheet.notes || $0.notes.isEmpty
      }
    }
    await stack.close()
  }

  private func expect(
    _ query: Query<Sheet>, in stack: Stack, _ all: [Sheet], _ isFound: (Sheet) -> Bool,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let wanted = Set(all.filter(isFound).map(\.id))
    let found = try await Set(stack.fetch(query).map(\.id))
    #expect(found == wanted, sourceLocation: location)
    // An unsaved edit of each row lets the matcher in memory decide.
    let scratch = stack.makeScratch()
    for sheet in all { scratch.update(sheet) { $0.title += "!" } }
    #expect(try await Set(scratch.fetch(query).map(\.id)) == wanted, sourceLocation: location)
  }

  /// The text of a set or of a dictionary with other keys followed the hash table, which differs from
  /// value to value.
  @Test func `equal JSON values have one text`() throws {
    for _ in 0..<20 {
      var a = Labels()
      var b = Labels()
      a.names = ["one", "two", "three", "four", "five"]
      b.names = Set(a.names.sorted().reversed())
      b.names.reserveCapacity(1000)
      a.counts = [.a: 1, .b: 2, .c: 3, .d: 4]
      for key in [Labels.Genre2.d, .c, .b, .a] { b.counts[key] = a.counts[key] }
      #expect(try a.cell == b.cell)
      #expect(
        try a.cell
          == .text(
            #"{"counts":["a",1,"b",2,"c",3,"d",4],"#
              + #""names":["five","four","one","three","two"]}"#))
    }
    #expect(try [0.0].cell == [-0.0].cell)
    #expect(try ["b": 1, "a": 2].cell == .text(#"{"a":2,"b":1}"#))
    #expect(try [Date(timeIntervalSinceReferenceDate: 5)].cell == .text("[5]"))
    #expect(try [URL(filePath: "/a/b")].cell == .text(#"["file:///a/b"]"#))
  }
}

/// A store whose rows another program wrote.
private struct SpeltStore {
  let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  func open() async throws -> Stack { try await Stack.open(Sheet.self, at: folder.url) }

  /// Inserts rows in random spellings.
  ///
  /// - Parameter isReadable: whether no row has a value that its type cannot read.
  func fill(rows: Int, isReadable: Bool = false, _ random: inout SeededRandom) async throws {
    await (try open()).close()
    let connection = try Connection(path: folder.path, .readWrite)
    for id in 0..<rows {
      let literals = Spelling.columns.map { column in
        random.pick((Spelling.literals[column] ?? []).filter { !isReadable || $0 != "'gone'" })
      }
      try insert(id, literals, connection)
    }
  }

  /// Inserts the row 0 with the given literals.
  /// Inserts a row with the next key.
  func insert(_ literals: [String]) async throws {
    await (try open()).close()
    try insert(try rows().count, literals, Connection(path: folder.path, .readWrite))
  }

  private func insert(_ id: Int, _ literals: [String], _ connection: Connection) throws {
    try connection.execute(
      "INSERT INTO sheets (id, \(Spelling.columns.joined(separator: ", "))) "
        + "VALUES (\(id), \(literals.joined(separator: ", ")))")
  }

  /// The stored cells of each row, as SQL literals.
  func rows() throws -> [Int: [String: String]] {
    let connection = try Connection(path: folder.path)
    let quoted = Spelling.columns.map { "quote(CAST(\($0) AS BLOB))" }.joined(separator: ", ")
    let statement = try connection.prepared("SELECT id, \(quoted) FROM sheets")
    var rows: [Int: [String: String]] = [:]
    try statement.forEach { row in
      var cells: [String: String] = [:]
      for (position, name) in Spelling.columns.enumerated() {
        cells[name] = row.string(Int32(position + 1))
      }
      rows[Int(row.integer(0))] = cells
    }
    return rows
  }
}

/// The SQL literal of a text's bytes.
private func blob(_ text: String) -> String {
  "X'"
    + text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    .uppercased()
    + "'"
}

/// An edit of a sheet.
private enum Edit: CaseIterable {
  case title, values, nothing, delete

  func apply(_ sheet: inout Sheet) {
    switch self {
    case .title: sheet.title = "edited"
    case .values:
      sheet.lyrics.lines = 77
      sheet.labels.names = ["n"]
      sheet.price = 42
      sheet.home = URL(filePath: "/home")
      sheet.reals = [7]
      sheet.notes = ["n": 7]
      sheet.genre = .soul
    case .nothing: (sheet.labels, sheet.reals) = (sheet.labels, sheet.reals.map { $0 })
    case .delete: break
    }
  }

  func make(on sheet: Sheet, in scratch: ScratchContext) {
    if self == .delete { scratch.delete(sheet) } else { scratch.update(sheet) { apply(&$0) } }
  }

  /// Whether another context may edit the title without a conflict.
  var leavesTitle: Bool { self == .values || self == .nothing }

  func expect(_ row: inout [String: String]?) {
    switch self {
    case .title: row?["title"] = blob("edited")
    case .values:
      // The language is the row's own.
      let language = row?["lyrics"]?.contains("226465") == true ? "de" : "en"
      row?["lyrics"] = blob(#"{"language":"\#(language)","lines":77}"#)
      let counts =
        row?["labels"]?.contains("2262222C32") == true ? #""a",1,"b",2,"c",3"# : #""a",1,"d",4"#
      row?["labels"] = blob(#"{"counts":[\#(counts)],"names":["n"]}"#)
      row?["price"] = blob("42")
      row?["home"] = blob("file:///home")
      row?["reals"] = blob("[7]")
      row?["notes"] = blob(#"{"n":7}"#)
      row?["genre"] = blob("soul")
    case .nothing: break
    case .delete: row = nil
    }
  }
}

/// The context in which a row is edited, and the way in which its entity was read.
private enum Place: CaseIterable {
  case view, live, scratch, child, sheet, query, overForeign

  /// Makes and saves an edit.
  ///
  /// - Returns: whether the edit writes anything.
  @MainActor
  func perform(
    _ edit: Edit, on id: Int, in stack: Stack, _ live: LiveQuery<Sheet>, _ policy: SavePolicy
  ) async throws -> Bool {
    let view = stack.viewContext
    // A fetch refuses a row with a value that its type cannot read. A live query shows the default.
    let element = try #require(live.elements.first { $0.id == id })
    let fetched = (try? await stack.find(Sheet.self, id)) ?? element
    switch self {
    case .view, .live:
      let sheet = self == .view ? fetched : element
      if edit == .delete { view.delete(sheet) } else { view.update(sheet) { edit.apply(&$0) } }
      #expect(view.conflicts.isEmpty)
      try await view.save(policy)
    case .scratch, .overForeign:
      if self == .overForeign, edit.leavesTitle {
        try await stack.withScratch { $0.update(element) { $0.title = "foreign" } }
      }
      let scratch = stack.makeScratch()
      edit.make(on: fetched, in: scratch)
      try await scratch.save(policy)
    case .child:
      let scratch = stack.makeScratch()
      let child = scratch.makeScratch()
      edit.make(on: fetched, in: child)
      try await child.save(policy)
      try await scratch.save(policy)
    case .sheet:
      let sheet = view.makeScratch()
      edit.make(on: element, in: sheet)
      try await sheet.save(policy)
      try await view.save(policy)
    case .query:
      let scratch = stack.makeScratch()
      let query = Sheet.where { $0.id == id }
      do {
        if edit == .delete {
          _ = try await scratch.delete(query)
        } else {
          _ = try await scratch.update(query) { edit.apply(&$0) }
        }
      } catch StoreError.Code.invalidValue {
        edit.make(on: element, in: scratch)
      }
      try await scratch.save(policy)
    }
    try await view.waitUntilMerged(stack.historyToken.commit)
    return edit != .nothing || self == .overForeign
  }
}
