import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Song: Entity {
    var id: Int64 = 0
    var title = ""
    var artist = ""
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.artist)
    }
  }
}

/// The artist is an entity of its own, and the song has a trail of the steps that ran.
private enum V4 {
  struct Song: Entity, Equatable {
    var id: Int64 = 0
    var title = ""
    var artistID: Artist.ID = 0
    var trail = ""
    static let artist = toOne(\.artistID, Artist.self, onDelete: .cascade)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      artist
      Attribute(\.trail)
    }
  }
  struct Artist: Entity, Equatable {
    var id: Int64 = 0
    var name = ""
    static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name).unique() }
  }

  /// Moves the artist into an entity of its own.
  static let split = MigrationStep(to: 3) { migration in
    try migration.createTable(
      .init("artists", columns: [.init("id", .integer), .init("name", .text)], uniques: [["name"]]))
    try migration.addColumn(.init("artistID", .integer), to: "songs", filledWith: .integer(0))
    var ids: [String: Int64] = [:]
    for song in try migration.rows(of: "songs") {
      let name = try song.value("artist", as: String.self)
      let id = ids[name] ?? Int64(ids.count + 1)
      if ids.updateValue(id, forKey: name) == nil {
        try migration.insert(["id": .integer(id), "name": .text(name)], into: "artists")
      }
      try migration.update(song.key, of: "songs", ["artistID": .integer(id)])
    }
    try migration.removeColumn("artist", from: "songs")
  }

  static func trail(_ version: Int) -> MigrationStep {
    MigrationStep(to: version) { migration in
      if version == 2 {
        try migration.addColumn(.init("trail", .text), to: "songs", filledWith: .text(""))
      }
      for song in try migration.rows(of: "songs") {
        let trail = try song.value("trail", as: String.self)
        try migration.update(song.key, of: "songs", ["trail": .text("\(trail)\(version)")])
      }
    }
  }
}

@Suite(.inTurn) struct MigrationStepTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private let songs = [
    V1.Song(id: 1, title: "So What", artist: "Miles"),
    V1.Song(id: 2, title: "Giant Steps", artist: "John"),
    V1.Song(id: 3, title: "All Blues", artist: "Miles"),
  ]
  // The list is not in order. The steps run in the order of their versions.
  private let steps = [V4.trail(4), V4.split, V4.trail(2)]

  @Test func `every step above the stored version runs in order, then the declarations`()
    async throws
  {
    try await file.make(songs)
    let commit = try file.commit ?? 0
    try await file.open(
      V4.Song.self, V4.Artist.self, version: 4, options: { $0.migrations = steps }
    ) { stack in
      let found = try await stack.fetch(V4.Song.all)
      #expect(found.map(\.artistID) == [1, 2, 1] && found.map(\.trail) == ["24", "24", "24"])
      #expect(try await stack.fetch(V4.Artist.all).map(\.name) == ["Miles", "John"])
      #expect(
        stack.migration.actions.prefix(3) == [.step(to: 2), .step(to: 3), .step(to: 4)])
      #expect(stack.migration.storedVersion == 1 && stack.migration.version == 4)
    }
    #expect(try file.commit == commit + 1)
    let again = await file.migrate(V4.Song.self, V4.Artist.self, version: 4) {
      $0.migrations = steps
    }
    #expect(again.actions == [])
  }

  @Test func `a new store runs no steps, and a step past the version is refused`() async throws {
    let early = await file.migrate(V1.Song.self, version: 3) { $0.migrations = steps }.error
    #expect(early?.code == .invalidSchema && early?.message.contains("version 4") == true)
    #expect(try file.rows("SELECT name FROM sqlite_schema") == [])
    let new = await file.migrate(V4.Song.self, V4.Artist.self, version: 4) {
      $0.migrations = steps
    }
    #expect(new.actions?.first == .createTable("songs"))
    let ran = new.actions?.filter { if case .step = $0 { true } else { false } }
    #expect(ran == [])
  }

  @Test func `a missing required reference after a step is named`() async throws {
    try await file.make(songs)
    let broken = MigrationStep(to: 4) { try $0.delete(RecordKey(.integer(2)), from: "artists") }
    let bytes = try file.bytes
    let error = await file.migrate(V4.Song.self, V4.Artist.self, version: 4) {
      $0.migrations = [V4.trail(2), V4.split, broken]
    }.error
    #expect(error?.code == .missingReference && error?.attributes == ["artistID"])
    #expect(error?.keys == [RecordKey(.integer(2)), RecordKey(.integer(2))])
    #expect(try file.bytes == bytes)
  }

  @Test func `tables are merged, renamed, converted and dropped by name`() async throws {
    struct Merged: Entity, Equatable {
      var id: Int64 = 0
      var title = ""
      var bpm = 0.0
      static let schema = Schema<Merged>("things", key: \.id) {
        Attribute(\.title)
        Attribute(\.bpm).indexed()
      }
    }
    struct A: Entity {
      var id: Int64 = 0
      var name = ""
      static let schema = Schema<A>("a", key: \.id) { Attribute(\.name).indexed() }
    }
    struct B: Entity {
      var id: Int64 = 0
      var bpm: Int? = 3
      static let schema = Schema<B>("b", key: \.id) { Attribute(\.bpm).indexed() }
    }
    try await file.open(A.self, B.self) { stack in
      try await stack.withScratch {
        $0.insert(A(id: 1, name: "x"))
        $0.insert(B(id: 1, bpm: 100))
        $0.insert(B(id: 2, bpm: nil))
      }
    }
    let merge = MigrationStep(to: 2) { migration in
      try migration.renameTable("A", to: "things")
      try migration.renameColumn("name", of: "things", to: "title")
      try migration.addColumn(
        .init("bpm", .integer, isOptional: true, isIndexed: true), to: "things")
      for row in try migration.rows(of: "b") {
        guard try migration.row(row.key, of: "things") != nil else { continue }
        try migration.update(row.key, of: "things", ["bpm": try row["bpm"]])
      }
      try migration.removeTable("b")
      try migration.convertColumn("bpm", of: "things", to: .init("bpm", .real, isIndexed: true)) {
        if case .integer(let value) = $0 { .real(Double(value)) } else { .real(0) }
      }
      #expect(try migration.count(of: "things") == 1)
      #expect(migration.schema.tables.map(\.name) == ["things"])
    }
    try await file.open(Merged.self, version: 2, options: { $0.migrations = [merge] }) { stack in
      let found = try await stack.fetch(Merged.all)
      #expect(found == [Merged(id: 1, title: "x", bpm: 100)])
      #expect(
        stack.migration.actions == [
          .step(to: 2), .removeIndex(["title"], table: "things", isUnique: false),
          .record(version: 2),
        ])
    }
  }

  @Test func `rows may be changed while they are read`() async throws {
    try await file.make(songs)
    let visited = Lock<[Int64]>([])
    let step = MigrationStep(to: 2) { migration in
      for song in try migration.rows(of: "songs") {
        guard case .integer(let id) = song.key.cell else { continue }
        visited.withLock { $0.append(id) }
        try migration.delete(RecordKey(.integer(id + 1)), from: "songs")
        try migration.insert(
          ["id": .integer(id + 100), "title": .text("copy"), "artist": .text("")], into: "songs")
      }
    }
    let result = await file.migrate(V1.Song.self, version: 2) { $0.migrations = [step] }
    #expect(result.error == nil)
    #expect(visited.withLock { $0 } == [1, 3])
    #expect(try file.rows("SELECT id FROM songs") == ["1", "3", "101", "103"])
  }

  @Test(arguments: [
    ("no columns", "has no column"), ("no key", "has no column \"key\""),
    ("no unique", "has no column \"code\""), ("no text", "has no column \"words\""),
    ("unknown table", "there is no table \"nothing\""),
    ("unknown column", "has no column \"nothing\""),
    ("wrong type", "is String (TEXT), not 1"),
    ("missing value", "\"artist\" is required"),
    ("same key", "another row has a value that is to be unique"),
    ("read", "has no column \"x\""),
    ("key", "is the key"),
    ("twice", "a table \"Songs\" already"),
    ("column twice", "a column \"TITLE\" already"),
    ("reserved", "\"strata_x\" is reserved"),
    ("required", "is String (TEXT), not null"),
    ("convert", "is Int64 (INTEGER), not \"So What\""),
    ("nonsense", "this is nonsense"),
  ])
  func `a step that does something impossible is refused by name`(what: String, message: String)
    async throws
  {
    try await file.make(songs)
    let bytes = try file.bytes
    let step = MigrationStep(to: 2) { migration in
      let one = RecordKey(.integer(1))
      try migration.addColumn(.init("more", .text, isOptional: true), to: "songs")
      switch what {
      case "unknown table": _ = try migration.count(of: "nothing")
      case "unknown column": try migration.update(one, of: "songs", ["nothing": .null])
      case "wrong type": try migration.update(one, of: "songs", ["title": .integer(1)])
      case "missing value":
        try migration.insert(["id": .integer(9), "title": .text("")], into: "songs")
      case "same key":
        try migration.insert(
          ["id": .integer(1), "title": .text(""), "artist": .text("")], into: "songs")
      case "read": for row in try migration.rows(of: "songs") { _ = try row["x"] }
      case "key": try migration.removeColumn("id", from: "songs")
      case "no columns":
        var table = SchemaDescription.Table("t", columns: [.init("id", .text)])
        table.columns = []
        try migration.createTable(table)
      case "no key":
        try migration.createTable(.init("t", columns: [.init("id", .text)], key: "key"))
      case "no unique":
        try migration.createTable(
          .init("t", columns: [.init("id", .text)], uniques: [["id", "code"]]))
      case "no text":
        try migration.createTable(
          .init("t", columns: [.init("id", .text)], fullText: .init(["words"])))
      case "twice": try migration.createTable(.init("Songs", columns: [.init("id", .text)]))
      case "column twice": try migration.renameColumn("artist", of: "songs", to: "TITLE")
      case "reserved": try migration.createTable(.init("strata_x", columns: [.init("id", .text)]))
      case "required": try migration.addColumn(.init("must", .text), to: "songs")
      case "convert":
        try migration.convertColumn("title", of: "songs", to: .init("title", .integer)) { $0 }
      default: throw Nonsense()
      }
    }
    let error = await file.migrate(V1.Song.self, version: 2) { $0.migrations = [step] }.error
    #expect(error?.code == .migrationFailed)
    #expect(error?.message.contains("the step to version 2 failed") == true)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(try file.bytes == bytes)
    #expect(await file.migrate(V1.Song.self).actions == [])
  }

  @Test func `the rows and tables that a step lends are over after the step`() async throws {
    try await file.make(songs)
    let error = Lock<StoreError?>(nil)
    let first = MigrationStep(to: 2) { migration in
      var rows = try migration.rows(of: "songs")
      #expect(rows.next()?.columns == ["id", "title", "artist"])
      migration.end()
      #expect(rows.next() == nil)
      do { _ = try migration.table("songs") } catch let caught {
        error.withLock { $0 = caught as? StoreError }
      }
    }
    let result = await file.migrate(V1.Song.self, version: 2) { $0.migrations = [first] }
    #expect(result.error?.code == .migrationFailed)
    #expect(error.withLock { $0?.message }?.contains("is over") == true)
  }
}
