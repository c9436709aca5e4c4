import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Song: Entity {
    var id = ""
    var bpm: Int?
    var year = 0
    var rating: Double?
    var added = Date(timeIntervalSinceReferenceDate: 0)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.bpm)
      Attribute(\.year)
      Attribute(\.rating).indexed()
      Attribute(\.added)
    }
  }
}

private enum V2 {
  struct Song: Entity, Equatable {
    var id: Int64 = 0
    var bpm: Double?
    var year: Int?
    var rating = 0.0
    var added = 0.0
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.id).converted(from: String.self) {
        guard let number = Int64($0) else { throw Nonsense() }
        return number
      }
      Attribute(\.bpm).converted(from: Int.self) { Double($0) + 0.5 }
      Attribute(\.year)
      Attribute(\.rating).indexed().converted(from: Double?.self) { $0 ?? -1 }
      Attribute(\.added).converted(from: Date.self) { $0.timeIntervalSince1970 }
    }
  }
  struct Undeclared: Entity {
    var id = ""
    var bpm: Double?
    var year = 0
    var rating = 0.0
    var added = Date()
    static let schema = Schema<Undeclared>("songs", key: \.id) {
      Attribute(\.bpm)
      Attribute(\.year)
      Attribute(\.rating)
      Attribute(\.added)
    }
  }
  /// The song with a default for its new requirement.
  ///
  /// The date's type changes without a conversion.
  struct Defaulted: Entity {
    var id = ""
    var bpm = 0
    var year = 0
    var rating: Double?
    var added = 0.0
    static let schema = Schema<Defaulted>("songs", key: \.id) {
      Attribute(\.bpm).migrationDefault(120)
      Attribute(\.year)
      Attribute(\.rating).indexed()
      Attribute(\.added)
    }
  }
}

@Suite(.inTurn) struct ConvertingTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private let songs = [
    V1.Song(id: "10", bpm: 120, year: 1959, rating: nil),
    V1.Song(id: "9", bpm: nil, year: -1, rating: 4.5, added: Date(timeIntervalSince1970: 5)),
  ]

  @Test func `declared conversions run once, for keys, too`() async throws {
    try await file.make(songs)
    let wanted = [
      V2.Song(id: 9, bpm: nil, year: -1, rating: 4.5, added: 5),
      V2.Song(id: 10, bpm: 120.5, year: 1959, rating: -1, added: 978_307_200),
    ]
    for attempt in 1...2 {
      try await file.open(V2.Song.self) { stack in
        let found = try await stack.fetch(V2.Song.all)
        #expect(found == wanted)
        #expect(stack.migration.isEmpty == (attempt == 2))
      }
    }
  }

  @Test func `a type change and a new requirement must be declared`() async throws {
    try await file.make(songs)
    let error = await file.migrate(V2.Undeclared.self).error
    #expect(error?.code == .schemaMismatch && error?.entity == "Undeclared")
    #expect(
      error?.message.contains(
        "Undeclared.bpm is optional Int (INTEGER) in the store and optional Double (REAL)") == true)
    #expect(error?.message.contains(".converted(from: Int.self)") == true)
    #expect(error?.message.contains("Undeclared.rating is optional in the store") == true)
  }

  @Test func `nulls take the declared default where an attribute becomes required`() async throws {
    try await file.make(songs)
    try await file.open(V2.Defaulted.self) { stack in
      let found = try await stack.fetch(V2.Defaulted.sorted(by: \.year))
      #expect(found.map(\.bpm) == [120, 120])
      // Cells of the same storage type stay as they are, unless a conversion is declared.
      #expect(found.map(\.added).contains(0))
    }
  }

  @Test func `a value that cannot be converted is told with entity, attribute and key`()
    async throws
  {
    try await file.make(songs + [V1.Song(id: "eleven")])
    let bytes = try file.bytes
    let error = await file.migrate(V2.Song.self).error
    #expect(error?.code == .migrationFailed && error?.entity == "Song")
    #expect(error?.attributes == ["id"] && error?.keys == [RecordKey(.text("eleven"))])
    #expect(error?.message.contains("\"eleven\" cannot be converted: this is nonsense") == true)
    #expect(try file.bytes == bytes)
    try await file.open(V1.Song.self) { stack in
      let found = try await stack.fetch(V1.Song.all).count
      #expect(found == 3)
    }
  }

  @Test func `keys that become one are both named`() async throws {
    try await file.make(songs + [V1.Song(id: "010")])
    let error = await file.migrate(V2.Song.self).error
    #expect(error?.code == .uniquenessViolated && error?.attributes == ["id"])
    #expect(error.map { Set($0.keys) } == [RecordKey(.text("010")), RecordKey(.text("10"))])
  }

  private struct Narrow: Entity {
    var id: Int64 = 0
    var kind = "a"
    static let schema = Schema<Narrow>("things", key: \.id) { Attribute(\.kind) }
  }
  private enum Kind: String, AttributeValue { case first, second }
  private struct Wide: Entity {
    var id: Int64 = 0
    var kind = Kind.first
    static let schema = Schema<Wide>("things", key: \.id) {
      Attribute(\.kind).converted(from: String.self) { $0 == "a" ? .first : .second }
    }
  }

  @Test func `text becomes an enumeration that is text, too, and only once`() async throws {
    try await file.make([Narrow(id: 1, kind: "a"), Narrow(id: 2, kind: "b")])
    for _ in 1...2 {
      try await file.open(Wide.self) { stack in
        let found = try await stack.fetch(Wide.all).map(\.kind)
        #expect(found == [.first, .second])
      }
    }
  }

  private struct ByUUID: Entity {
    var uuid = UUID()
    var code = ""
    var id: UUID { uuid }
    static let schema = Schema<ByUUID>("goods", key: \.uuid) { Attribute(\.code).unique() }
  }
  private struct ByCode: Entity {
    var uuid = UUID()
    var code = ""
    var id: String { code }
    static let schema = Schema<ByCode>("goods", key: \.code) { Attribute(\.uuid) }
  }

  @Test func `another attribute becomes the key`() async throws {
    let goods = [ByUUID(code: "b"), ByUUID(code: "a")]
    try await file.make(goods)
    try await file.open(ByCode.self) { stack in
      let found = try await stack.fetch(ByCode.all).map(\.code)
      #expect(found == ["a", "b"])
      #expect(try await stack.fetch(ByCode.all).map(\.uuid) == [goods[1].uuid, goods[0].uuid])
      #expect(stack.migration.actions.contains(.changeKey("code", table: "goods")))
    }
    #expect(await file.migrate(ByCode.self).actions == [])
  }

  @Test func `row numbers are kept in a copy`() async throws {
    struct Before: Entity {
      var id = ""
      var n: Int?
      static let schema = Schema<Before>("rows", key: \.id) { Attribute(\.n) }
    }
    struct After: Entity {
      var id = ""
      var n = 0
      static let schema = Schema<After>("rows", key: \.id) {
        Attribute(\.n).migrationDefault(0)
      }
    }
    try await file.make(["c", "a", "b"].map { Before(id: $0) })
    try file.execute("UPDATE rows SET rowid = rowid + 1000 WHERE id = 'a'")
    let rows = try file.rows("SELECT rowid, id FROM rows ORDER BY rowid")
    #expect(await file.migrate(After.self).error == nil)
    #expect(try file.rows("SELECT rowid, id FROM rows ORDER BY rowid") == rows)
  }
}
