import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Song: Entity, Equatable {
    var id: Int64 = 0
    var title = ""
    var length: Double?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.length)
    }
  }
  struct Label: Entity {
    var id: Int64 = 0
    static let schema = Schema<Label>("labels", key: \.id) {}
  }
}

private enum V2 {
  struct Song: Entity, Equatable {
    var id: Int64 = 0
    var token = UUID()
    var title = ""
    var length: Double?
    var rating: Int?
    var stars: Int? = 3
    var mood = "calm"
    var year = 0
    var genre: String?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.token).unique()
      Attribute(\.title).indexed()
      Attribute(\.length)
      Attribute(\.rating).indexed()
      Attribute(\.stars)
      Attribute(\.mood)
      Attribute(\.year).migrationDefault(1959)
      Attribute(\.genre).migrationDefault("jazz")
    }
  }
  /// The song with one more optional attribute.
  struct Light: Entity, Equatable {
    var id: Int64 = 0
    var title = ""
    var length: Double?
    var rating: Int?
    static let schema = Schema<Light>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.rating)
      Attribute(\.length)
    }
  }
  struct Short: Entity, Equatable {
    var id: Int64 = 0
    var title = ""
    static let schema = Schema<Short>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Removed<Short>("length", "neverThere")
    }
  }
  struct Undeclared: Entity {
    var id: Int64 = 0
    var length: Double?
    static let schema = Schema<Undeclared>("songs", key: \.id) { Attribute(\.length) }
  }
  struct NotANumber: Entity {
    var id: Int64 = 0
    var title = ""
    var length: Double?
    var pitch = Double.nan
    static let schema = Schema<NotANumber>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.length)
      Attribute(\.pitch)
    }
  }
}

@Suite(.inTurn) struct AddedAndRemovedTests {
  private let file: StoreFile
  private let songs = [
    V1.Song(id: 1, title: "So What", length: 9.4), V1.Song(id: 2, title: "Été 日\0", length: nil),
  ]

  init() throws { file = try StoreFile() }

  @Test func `new attributes have the values of new entities, or declared ones`() async throws {
    try await file.make(songs)
    let commit = try file.commit ?? 0
    try await file.open(V2.Song.self) { stack in
      let found = try await stack.fetch(V2.Song.all)
      #expect(found.map(\.title) == songs.map(\.title) && found.map(\.length) == [9.4, nil])
      #expect(found.map(\.rating) == [nil, nil] && found.map(\.stars) == [3, 3])
      #expect(found.map(\.mood) == ["calm", "calm"] && found.map(\.year) == [1959, 1959])
      #expect(found.map(\.genre) == ["jazz", "jazz"])
      // Every row gets its default from an `init()` of its own.
      #expect(Set(found.map(\.token)).count == 2)
      #expect(stack.migration.actions.contains(.copyRows(2, table: "songs")))
      try await stack.withScratch { $0.insert(V2.Song(id: 3)) }
    }
    #expect(try file.commit == commit + 2)
    // The next opening has nothing to do.
    #expect(await file.migrate(V2.Song.self).actions == [])
    #expect(try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'strata_old%'") == [])
  }

  @Test func `an optional attribute is added without copying, whatever the order`() async throws {
    try await file.make(songs)
    let migrated = await file.migrate(V2.Light.self)
    #expect(migrated.actions == [.addColumn("rating", table: "songs"), .record(version: 1)])
    try await file.open(V2.Light.self) { stack in
      #expect(stack.migration.isEmpty)
      try await stack.withScratch { $0.insert(V2.Light(id: 3, title: "x", length: 1, rating: 5)) }
      let found = try await stack.fetch(V2.Light.where { $0.title == "x" })
      #expect(found == [V2.Light(id: 3, title: "x", length: 1, rating: 5)])
    }
  }

  @Test func `entities are added and removed`() async throws {
    try await file.make(songs)
    #expect(
      await file.migrate(V1.Song.self, V1.Label.self).actions
        == [.createTable("labels"), .record(version: 1)])
    let refused = await file.migrate(V1.Song.self).error
    #expect(refused?.code == .schemaMismatch && refused?.entity == "Label")
    #expect(refused?.message.contains("table \"labels\" of Label") == true)
    #expect(refused?.advice.contains("removedTables") == true)
    let removed = await file.migrate(V1.Song.self) { $0.removedTables = ["labels", "never"] }
    #expect(removed.actions == [.removeTable("labels", rows: 0), .record(version: 1)])
    #expect(await file.migrate(V1.Song.self).actions == [])
    #expect(try file.rows("SELECT title FROM songs").count == 2)
  }

  @Test func `a vanished attribute refuses the store unless it is declared`() async throws {
    try await file.make(songs)
    let bytes = try file.bytes
    let refused = await file.migrate(V2.Undeclared.self).error
    #expect(refused?.code == .schemaMismatch && refused?.attributes == ["title"])
    #expect(refused?.advice.contains(".formerly(\"title\")") == true)
    #expect(refused?.advice.contains("Removed<Undeclared>(\"title\")") == true)
    #expect(try file.bytes == bytes)
    let removed = await file.migrate(V2.Short.self)
    #expect(
      removed.actions == [
        .removeIndex(["title"], table: "songs", isUnique: false),
        .removeColumn("length", table: "songs"), .copyRows(2, table: "songs"),
        .createIndex(["title"], table: "songs", isUnique: false), .record(version: 1),
      ])
    try await file.open(V2.Short.self) { stack in
      let found = try await stack.fetch(V2.Short.all).map(\.title)
      #expect(found == songs.map(\.title))
    }
  }

  @Test func `several problems are told at once`() async throws {
    try await file.make(songs)
    try await file.open(V1.Song.self, V1.Label.self) { _ in }
    let error = await file.migrate(V2.Undeclared.self).error
    #expect(error?.message.contains("\"title\"") == true)
    #expect(error?.message.contains("\"labels\"") == true)
  }

  @Test func `a default that cannot be stored is told by name`() async throws {
    try await file.make(songs)
    let error = await file.migrate(V2.NotANumber.self).error
    #expect(error?.code == .schemaMismatch && error?.attributes == ["pitch"])
    #expect(error?.message.contains("NotANumber.pitch: not-a-number") == true)
  }

  @Test func `a table of nobody's in the way is told by name`() async throws {
    try await file.make(songs)
    try file.execute("CREATE TABLE Labels (n)")
    #expect(await file.migrate(V1.Song.self).actions == [])
    let error = await file.migrate(V1.Song.self, V1.Label.self).error
    #expect(error?.code == .schemaMismatch && error?.message.contains("\"labels\"") == true)
  }

  @Test func `a version is recorded once when it is raised, and then refuses the older program`()
    async throws
  {
    try await file.make(songs)
    #expect(await file.migrate(V1.Song.self, version: 3).actions == [.record(version: 3)])
    #expect(await file.migrate(V1.Song.self, version: 3).actions == [])
    let error = await file.migrate(V1.Song.self, version: 2).error
    #expect(error?.code == .newerStore && error?.message.contains("version 3") == true)
  }

  @Test func `another process is told that its view of the store is out of date`() async throws {
    try await file.make(songs)
    try await file.open(V1.Song.self) { stack in
      #expect(await file.migrate(V1.Song.self, version: 2).actions == [.record(version: 2)])
      let error = await failure {
        try await stack.withScratch { $0.insert(V1.Song(id: 9)) }
      }
      #expect(error?.code == .schemaChanged)
    }
    #expect(try file.rows("SELECT id FROM songs") == ["1", "2"])
  }
}
