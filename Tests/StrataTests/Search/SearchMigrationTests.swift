import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The entity in several versions of one program.
private enum Plain {
  struct Song: Entity {
    var id = ""
    var title = ""
    var text: String?
    var latitude: Double?
    var longitude: Double?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.text)
      Attribute(\.latitude)
      Attribute(\.longitude)
    }
  }
}

private enum Searched {
  struct Song: Entity {
    var id = ""
    var title = ""
    var text: String?
    var latitude: Double?
    var longitude: Double?
    static let place = spatial(\.latitude, \.longitude)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).fullText()
      Attribute(\.text).fullText()
      Attribute(\.latitude)
      Attribute(\.longitude)
      place
    }
  }
}

private enum Stemmed {
  struct Song: Entity {
    var id = ""
    var title = ""
    var text: String?
    var latitude: Double?
    var longitude: Double?
    static let place = spatial(\.latitude, \.longitude)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).fullText(weight: 9)
      Attribute(\.text).fullText()
      Attribute(\.latitude)
      Attribute(\.longitude)
      place
      FullText<Song>(.porter(), prefixes: 2)
    }
  }
}

private enum Renamed {
  struct Tune: Entity {
    var id = ""
    var name = ""
    var text = ""
    var north: Double?
    var longitude: Double?
    static let place = spatial(\.north, \.longitude)
    static let schema = Schema<Tune>("tunes", formerly: ["songs"], key: \.id) {
      Attribute(\.name).formerly("title").fullText()
      Attribute(\.text).migrationDefault("none").fullText()
      Attribute(\.north).formerly("latitude")
      Attribute(\.longitude)
      place
    }
  }
}

@Suite(.inTurn) struct SearchMigrationTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private let songs: [Plain.Song] = (0..<50).map { (number: Int) -> Plain.Song in
    let degrees = Double(number)
    return Plain.Song(
      id: "\(100 + number)", title: "notes \(number % 10)", text: number % 3 == 0 ? nil : "grace",
      latitude: number % 4 == 0 ? nil : degrees, longitude: degrees * 5)
  }

  /// The number of songs that have a place.
  private var placed: Int {
    songs.count { song in song.latitude != nil && (song.longitude ?? 0) <= 180 }
  }

  private let all = GeoRegion(south: -90, west: -180, north: 90, east: 180)

  @Test func `an index of words and places is added, changed and removed`() async throws {
    try await file.make(songs)
    let columns = ["title", "text"]
    let places = ["latitude", "longitude"]
    try await file.open(Searched.Song.self) { stack in
      #expect(
        stack.migration.actions == [
          .createSearchIndex(columns, table: "songs"), .createSearchIndex(places, table: "songs"),
          .record(version: 1),
        ])
      try stack.checkSearch()
      #expect(try await stack.fetch(Searched.Song.matching("3")).count == 5)
      #expect(try await stack.fetch(Searched.Song.matching("note")).count == 0)
      #expect(
        try await stack.fetch(Searched.Song.where { $0.place.isIn(all) }).count == placed)
    }
    #expect(await file.migrate(Searched.Song.self).actions == [])
    try await file.open(Stemmed.Song.self) { stack in
      #expect(
        stack.migration.actions == [
          .removeSearchIndex(columns, table: "songs"), .createSearchIndex(columns, table: "songs"),
          .record(version: 1),
        ])
      try stack.checkSearch()
      #expect(try await stack.fetch(Stemmed.Song.matching("note")).count == 50)
    }
    #expect(
      await file.migrate(Plain.Song.self).actions == [
        .removeSearchIndex(columns, table: "songs"), .removeSearchIndex(places, table: "songs"),
        .record(version: 1),
      ])
    #expect(try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'strata_text%'").isEmpty)
    #expect(try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'strata_place%'").isEmpty)
  }

  @Test func `tables and columns are renamed, and rows copied, with their indexes`() async throws {
    try await file.open(Searched.Song.self) { stack in
      try await stack.withScratch { scratch in
        for song in songs {
          scratch.insert(
            Searched.Song(
              id: song.id, title: song.title, text: song.text, latitude: song.latitude,
              longitude: song.longitude))
        }
      }
    }
    try await file.open(Renamed.Tune.self) { stack in
      try stack.checkSearch()
      #expect(try await stack.fetch(Renamed.Tune.matching("none")).count == 17)
      let region = GeoRegion(south: 30, west: -180, north: 33, east: 180)
      #expect(
        try await stack.fetch(Renamed.Tune.where { $0.place.isIn(region) }).map(\.id)
          == ["130", "131", "133"])
    }
    #expect(
      try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE '%\"songs\"%'").isEmpty)
    // The removal of the entity removes its indexes.
    struct Other: Entity {
      var id = ""
      static let schema = Schema<Other>("others", key: \.id) {}
    }
    try await file.open(Other.self, options: { $0.removedTables = ["tunes"] }) { stack in
      #expect(
        stack.migration.actions.contains(.removeSearchIndex(["name", "text"], table: "tunes")))
    }
    #expect(try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'strata_text%'").isEmpty)
  }

  @Test func `a plan says what would be done, and does nothing`() async throws {
    try await file.make(songs)
    let plan = try await Stack.plan(Searched.Song.self, at: file.url)
    #expect(plan.description.contains("create a search index on title, text of \"songs\""))
    #expect(try file.rows("SELECT name FROM sqlite_schema WHERE name LIKE 'strata_text%'").isEmpty)
    let new = try await Stack.plan(
      Searched.Song.self, at: URL(fileURLWithPath: file.path + "-none"))
    #expect(new.actions.contains(.createSearchIndex(["latitude", "longitude"], table: "songs")))
  }

  @Test func `a step's rows are indexed`() async throws {
    try await file.open(Searched.Song.self) { stack in
      try await stack.withScratch { scratch in
        for song in songs {
          scratch.insert(Searched.Song(id: song.id, title: song.title, latitude: 1, longitude: 1))
        }
      }
    }
    let step = MigrationStep(to: 2) { migration in
      try migration.insert(
        ["id": .text("new"), "title": .text("fresh"), "latitude": .real(5), "longitude": .real(5)],
        into: "songs")
      try migration.update(RecordKey(.text("101")), of: "songs", ["title": .text("fresh")])
      try migration.delete(RecordKey(.text("102")), from: "songs")
    }
    let shape = MigrationStep(to: 3) { migration in
      try migration.renameTable("songs", to: "melodies")
      try migration.renameColumn("title", of: "melodies", to: "t")
      try migration.addColumn(.init("mood", .text), to: "melodies", filledWith: .text("glad"))
      try migration.removeColumn("mood", from: "melodies")
      try migration.renameColumn("t", of: "melodies", to: "title")
      try migration.renameTable("melodies", to: "songs")
    }
    try await file.open(
      Searched.Song.self, version: 2, options: { $0.migrations = [step] }
    ) { stack in
      try stack.checkSearch()
      #expect(try await stack.fetch(Searched.Song.matching("fresh")).map(\.id) == ["101", "new"])
    }
    try await file.open(
      Searched.Song.self, version: 3, options: { $0.migrations = [step, shape] }
    ) { stack in
      try stack.checkSearch()
      #expect(try await stack.fetch(Searched.Song.matching("fresh")).map(\.id) == ["101", "new"])
    }
  }

  // MARK: - Drift

  @Test(arguments: [
    (#"DROP TABLE "strata_text.""songs""""#, "full-text index on (title, text)"),
    (
      #"DROP TABLE "strata_place.""songs"".""latitude"".""longitude""""#,
      "spatial index on (latitude"
    ),
    (
      #"DROP TABLE "strata_text.""songs"""; CREATE VIRTUAL TABLE "strata_text.""songs""" USING fts5(title, text)"#,
      "was altered"
    ),
  ])
  func `an index that was altered by hand is said`(sql: String, message: String) async throws {
    try await file.open(Searched.Song.self) { _ in }
    try file.execute(sql)
    let error = await file.migrate(Searched.Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test(arguments: [
    #"strata_text."songs""#, #"strata_text."songs"_data"#,
    #"strata_place."songs"."latitude"."longitude"_node"#,
  ])
  func `a table made by hand where an index goes is refused by name`(name: String) async throws {
    try await file.make(songs)
    try file.execute("CREATE TABLE \(name.quotedIdentifier) (x)")
    let error = await file.migrate(Searched.Song.self).error
    #expect(error?.code == .schemaMismatch)
    #expect(error?.message.contains(name) == true)
    try file.execute("DROP TABLE \(name.quotedIdentifier)")
    #expect(await file.migrate(Searched.Song.self).error == nil)
  }

  // MARK: - Descriptions

  @Test func `a description says what is indexed, and a store of it can be rehearsed`() async throws
  {
    let schema = try Stack.schema(of: [Searched.Song.self], version: 1)
    #expect(schema[table: "songs"]?.fullText == .init(["title", "text"]))
    #expect(
      schema[table: "songs"]?.spatial == [.init(latitude: "latitude", longitude: "longitude")])
    #expect(try SchemaDescription(json: schema.json) == schema)
    let without = schema.json.replacingOccurrences(of: "fullText", with: "unknown")
    #expect(try SchemaDescription(json: without)[table: "songs"]?.fullText == nil)
    for other in [schema, try SchemaDescription(json: without)] {
      let same = try await rehearseMigration(from: other, to: Searched.Song.self)
      try same.stack.checkSearch()
      #expect(same.rowsAfter == ["Song": 50])
      await same.stack.close()
      let stemmed = try await rehearseMigration(from: other, to: Stemmed.Song.self)
      try stemmed.stack.checkSearch()
      await stemmed.stack.close()
    }
  }
}
