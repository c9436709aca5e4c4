import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

internal import Foundation

/// Names and values that are chosen to do harm.
@Suite(.inTurn) struct HostileInputTests {
  static let texts = [
    "'", "''", "\"", "\"\"", "`", "]", ";", "--", "/*", "\\", "%", "_", "*", "?", "?1", ":a", "@a",
    "$a", "\0", "a\0b", "\0'; DROP TABLE notes; --", "x'; DROP TABLE notes; --",
    "\"; DROP TABLE \"notes\"; --", "' OR 1=1 --", "') OR ('1'='1", "NULL", "null", "0", "1e999",
    "x'00'", "\u{FEFF}", "\u{202E}evil", "e\u{301}", "\u{301}", "\u{10FFFF}", "\u{FFFF}", "\n\r\t",
    "", " ", String(repeating: "'\"\0;--", count: 175_000),
  ]

  private struct Note: Entity, Equatable {
    var id = 0
    var text = ""
    var data = Data()
    var tag: String?
    static let schema = Schema<Note>("notes", key: \.id) {
      Attribute(\.text).indexed()
      Attribute(\.data)
      Attribute(\.tag).unique()
    }
  }

  @Test func `values are what they were, wherever they go`() async throws {
    let stack = try await Stack.temporary(Note.self)
    let notes = Self.texts.enumerated().map {
      Note(id: $0, text: $1, data: Data($1.utf8), tag: $1)
    }
    try await stack.withScratch { scratch in notes.forEach(scratch.insert) }
    #expect(try await stack.fetch(Note.sorted(by: \.id)) == notes)
    for note in notes {
      let text = note.text
      func same(_ other: String) -> Bool { other.utf8.elementsEqual(text.utf8) }
      let equal = try await stack.fetch(Note.where { $0.text == text })
      #expect(equal.map(\.id) == notes.filter { same($0.text) }.map(\.id))
      #expect(try await stack.fetch(Note.where { $0.text.isIn([text]) }) == equal)
      #expect(try await stack.fetch(Note.where { $0.data == Data(text.utf8) }) == equal)
      #expect(
        try await stack.read("SELECT id FROM notes WHERE text = \(text)", as: Int.self) == [note.id]
      )
      let containing = try await stack.count(Note.where { $0.text.contains(text) })
      #expect(containing == notes.count { $0.data.range(of: note.data) != nil || text.isEmpty })
      let beginning = try await stack.count(Note.where { $0.text.hasPrefix(text) })
      #expect(beginning == notes.count { $0.data.starts(with: note.data) })
    }
    // The table still exists, and every row can be changed.
    try await stack.withScratch { scratch in
      for note in notes { scratch.update(note) { $0.text += "'" } }
    }
    #expect(try await stack.fetch(Note.sorted(by: \.id)).map(\.text) == notes.map { $0.text + "'" })
    await stack.close()
  }

  private struct Named: Entity, Equatable {
    var id = 0
    var a = ""
    var b = ""
    static let long = String(repeating: "\"x'; DROP TABLE y; --", count: 5_000)
    static let schema = Schema<Named>("t" + long, key: \.id) {
      Attribute(\.a, "a" + long).indexed()
      Attribute(\.b, "b" + long).unique()
    }
  }

  @Test func `names of thousands of quotes and statements are names`() async throws {
    let file = try StoreFile()
    let rows = [Named(id: 1, a: "a", b: "b"), Named(id: 2, a: "a", b: "c")]
    try await file.make(rows)
    try await file.open(Named.self) { stack in
      try await stack.withScratch { scratch in
        scratch.update(rows[0]) { $0.b = "c" }
        scratch.update(rows[1]) { $0.b = "b" }
      }
      #expect(try await stack.fetch(Named.where { $0.b == "c" }).map(\.id) == [1])
      let error = await failure { try await stack.commit { $0.insert(Named(id: 3, b: "b")) } }
      #expect(error?.code == .uniquenessViolated)
    }
  }

  // MARK: - Many attributes

  /// The number of attributes of an entity.
  private protocol Count: Sendable { static var count: Int { get } }
  private enum Most: Count { static let count = 2_000 }
  private enum TooMany: Count { static let count = 2_001 }

  private struct Wide<Kind: Count>: Entity, Equatable {
    var id = 0
    /// The values of all attributes but the key.
    var values = [Int?](repeating: nil, count: Kind.count - 1)

    subscript(place: Int) -> Int? {
      get { values[place] }
      set { values[place] = newValue }
    }

    static func attributes() -> [_ElementDefinition] {
      (0..<Kind.count - 1).map { place in
        let attribute = Attribute(\Wide[place], "c\(place)")
        return (place == 7 ? attribute.unique() : attribute)._element
      } + [Ignored(\Wide.values)._element]
    }

    static var schema: Schema<Wide> { Schema<Wide>("wide", key: \.id, attributes) }
  }

  @Test func `an entity has as many attributes as SQLite has columns`() async throws {
    let stack = try await Stack.temporary(Wide<Most>.self)
    var rows = [Wide<Most>(id: 1), Wide<Most>(id: 2)]
    for row in rows.indices {
      for place in rows[row].values.indices { rows[row][place] = place * 10 + row }
    }
    try await stack.withScratch { [rows] scratch in rows.forEach(scratch.insert) }
    let last = Most.count - 2
    #expect(
      try await stack.fetch(Wide<Most>.sorted(by: \.[last], order: .reverse)) == rows.reversed())
    // Rows that swap a unique value are deleted and inserted with their row number.
    try await stack.withScratch { [rows] scratch in
      scratch.update(rows[0]) { $0[7] = rows[1][7] }
      scratch.update(rows[1]) { ($0[7], $0[last]) = (rows[0][7], -1) }
    }
    let found = try await stack.fetch(Wide<Most>.where { $0[dynamicMember: \.[last]] == -1 })
    #expect(found.map(\.id) == [2] && found.first?[7] == rows[0][7])
    try await stack.withScratch { $0.delete(found[0]) }
    #expect(try await stack.count(Wide<Most>.all) == 1)
    await stack.close()
  }

  @Test func `one attribute more is refused by name`() async {
    let error = await failure { _ = try await Stack.temporary(Wide<TooMany>.self) }
    #expect(error?.code == .invalidSchema && error?.message.contains("2000") == true)
  }
}
