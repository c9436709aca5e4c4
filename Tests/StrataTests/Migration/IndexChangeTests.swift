import StrataTestTurns
import Testing

@testable import Strata
@testable import StrataSQLite

private enum V1 {
  struct Song: Entity {
    var id: Int64 = 0
    var title = ""
    var year: Int?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.year).indexed()
    }
  }
}

private enum V2 {
  struct Song: Entity {
    var id: Int64 = 0
    var title = ""
    var year: Int?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).indexed()
      Attribute(\.year)
      Unique(\.title, \.year)
    }
  }
  struct Single: Entity {
    var id: Int64 = 0
    var title = ""
    var year: Int?
    static let schema = Schema<Single>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.year).unique()
    }
  }
}

/// A table with a key of text, whose indexes of several columns end with the key.
private enum Compound {
  struct Note: Entity {
    var id = ""
    var topic = ""
    var year: Int?
    static let schema = Schema<Note>("notes", key: \.id) {
      Attribute(\.topic)
      Attribute(\.year)
    }
  }
  struct ByYear: Entity {
    var id = ""
    var topic = ""
    var year: Int?
    static let schema = Schema<ByYear>("notes", key: \.id) {
      Attribute(\.topic)
      Attribute(\.year)
      Index(\.topic, \.year)
    }
  }
  struct ByTopic: Entity {
    var id = ""
    var topic = ""
    var year: Int?
    static let schema = Schema<ByTopic>("notes", key: \.id) {
      Attribute(\.topic)
      Attribute(\.year)
      Index(\.year, \.topic)
    }
  }
  struct Renamed: Entity {
    var id = ""
    var topic = ""
    var released: Int?
    static let schema = Schema<Renamed>("notes", key: \.id) {
      Attribute(\.topic)
      Attribute(\.released).formerly("year")
      Index(\.released, \.topic)
    }
  }
  struct Once: Entity {
    var id = ""
    var topic = ""
    var released: Int?
    static let schema = Schema<Once>("notes", key: \.id) {
      Attribute(\.topic)
      Attribute(\.released)
      Unique(\.released, \.topic, \.id)
    }
  }
}

private struct Other: Entity {
  var id: Int64 = 0
  static let schema = Schema<Other>("others", key: \.id) {}
}

@Suite(.inTurn) struct IndexChangeTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  /// An import may have deferred an index that the migration drops, or an index of a table that it removes.
  /// Such a debt must end with the migration. Otherwise the store could not be opened.
  @Test func `a migration makes the indexes that an import deferred before it drops them`()
    async throws
  {
    for removes in [false, true] {
      let file = try StoreFile()
      try await file.make([V1.Song(id: 1, title: "a", year: 1)])
      let model = try Model([V1.Song.self])
      try file.withConnection {
        try DeferredIndexes.drop(model.table(of: V1.Song.self).plainIndexes, of: "songs", $0)
      }
      var options = Stack.Options()
      options.removedTables = removes ? ["songs"] : []
      let entity: any Entity.Type = removes ? Other.self : V2.Song.self
      let plan = try await Stack.plan([entity], at: file.url, options: options)
      #expect(plan.actions.count > 1 && plan.problems.isEmpty)
      let migrated = await file.migrate(entity) { $0 = options }
      #expect(migrated.actions == plan.actions)
      #expect(try file.rows("SELECT 1 FROM sqlite_schema WHERE name LIKE 'strata_def%'") == [])
    }
  }

  @Test func `indexes come and go without copying a row`() async throws {
    try await file.make([
      V1.Song(id: 1, title: "a", year: 1), V1.Song(id: 2, title: "a", year: nil),
      V1.Song(id: 3, title: "a", year: nil),
    ])
    #expect(
      await file.migrate(V2.Song.self).actions == [
        .removeIndex(["year"], table: "songs", isUnique: false),
        .createIndex(["title", "year"], table: "songs", isUnique: true),
        .createIndex(["title"], table: "songs", isUnique: false), .record(version: 1),
      ])
    try await file.open(V2.Song.self) { stack in
      let error = await failure {
        try await stack.withScratch { $0.insert(V2.Song(id: 4, title: "a", year: 1)) }
      }
      #expect(error?.code == .uniquenessViolated)
    }
    // The older schema brings the old indexes back.
    #expect(await file.migrate(V1.Song.self).actions?.count == 4)
    try await file.open(V1.Song.self) { stack in
      try await stack.withScratch { $0.insert(V1.Song(id: 4, title: "a", year: 1)) }
    }
  }

  @Test func `an index of several attributes comes, changes, is renamed and goes without a copy`()
    async throws
  {
    try await file.make([
      Compound.Note(id: "b", topic: "x", year: 1), Compound.Note(id: "a", topic: "x", year: 1),
      Compound.Note(id: "c", topic: "y", year: nil),
    ])
    let table = "notes"
    #expect(
      await file.migrate(Compound.ByYear.self).actions == [
        .createIndex(["topic", "year", "id"], table: table, isUnique: false), .record(version: 1),
      ])
    #expect(await file.migrate(Compound.ByYear.self).actions == [])
    try await file.open(Compound.ByYear.self) { stack in
      let page = Compound.ByYear.where { $0.topic == "x" }.sorted(by: \.year)
      let found = try await stack.fetch(page).map(\.id)
      #expect(found == ["a", "b"])
      #expect(try await stack.explain(page).indexes == [#"strata_"notes"."topic"."year"."id""#])
    }
    #expect(
      await file.migrate(Compound.ByTopic.self).actions == [
        .removeIndex(["topic", "year", "id"], table: table, isUnique: false),
        .createIndex(["year", "topic", "id"], table: table, isUnique: false), .record(version: 1),
      ])
    #expect(
      await file.migrate(Compound.Renamed.self).actions == [
        .removeIndex(["year", "topic", "id"], table: table, isUnique: false),
        .renameColumn("year", to: "released", table: table),
        .createIndex(["released", "topic", "id"], table: table, isUnique: false),
        .record(version: 1),
      ])
    // A unique index with the same columns takes its place.
    #expect(
      await file.migrate(Compound.Once.self).actions == [
        .removeIndex(["released", "topic", "id"], table: table, isUnique: false),
        .createIndex(["released", "topic", "id"], table: table, isUnique: true),
        .record(version: 1),
      ])
    #expect(await file.migrate(Compound.Renamed.self).actions?.count == 3)
    #expect(try file.rows("SELECT id FROM notes ORDER BY id") == ["a", "b", "c"])
  }

  @Test func `a step keeps an index of several columns, and drops it with a column`() async throws {
    try await file.make([Compound.ByYear(id: "a", topic: "x", year: 1)])
    func indexes() throws -> [String] {
      try file.rows(
        "SELECT name FROM sqlite_schema WHERE tbl_name LIKE '%notes' AND sql LIKE '%INDEX%'")
    }
    #expect(try indexes() == [#"strata_"notes"."topic"."year"."id""#])
    struct Kept: Entity {
      var key = ""
      var topic = ""
      var released: Int?
      var id: String { key }
      static let schema = Schema<Kept>("notes", key: \.key) {
        Attribute(\.topic)
        Attribute(\.released)
        Index(\.topic, \.released)
      }
    }
    let renames = MigrationStep(to: 2) { migration in
      try migration.renameColumn("year", of: "notes", to: "released")
      try migration.renameColumn("id", of: "notes", to: "key")
      #expect(
        migration.schema[table: "notes"]?.compoundIndexes == [["topic", "released"]])
    }
    let kept = await file.migrate(Kept.self, version: 2) { $0.migrations = [renames] }
    #expect(kept.actions == [.step(to: 2), .record(version: 2)])
    #expect(try indexes() == [#"strata_"notes"."topic"."released"."key""#])
    struct Short: Entity {
      var key = ""
      var topic = ""
      var id: String { key }
      static let schema = Schema<Short>("notes", key: \.key) { Attribute(\.topic) }
    }
    let drops = MigrationStep(to: 3) { try $0.removeColumn("released", from: "notes") }
    let short = await file.migrate(Short.self, version: 3) { $0.migrations = [drops] }
    #expect(short.actions == [.step(to: 3), .record(version: 3)])
    #expect(try indexes() == [])
    let described = try Stack.schema(of: [Kept.self], version: 1)
    #expect(described.tables[0].compoundIndexes == [["topic", "released"]])
    #expect(try SchemaDescription(json: described.json) == described)
  }

  @Test func `a unique attribute over duplicates is refused and names both`() async throws {
    try await file.make([
      V1.Song(id: 1, year: 7), V1.Song(id: 2, year: 8), V1.Song(id: 3, year: 7),
      V1.Song(id: 4, year: nil), V1.Song(id: 5, year: nil),
    ])
    let bytes = try file.bytes
    let error = await file.migrate(V2.Single.self).error
    #expect(error?.code == .uniquenessViolated && error?.entity == "Single")
    #expect(error?.attributes == ["year"])
    #expect(error?.keys == [RecordKey(.integer(1)), RecordKey(.integer(3))])
    #expect(try file.bytes == bytes)
    // Without duplicates the index becomes unique.
    try file.execute("DELETE FROM songs WHERE id = 3")
    #expect(await file.migrate(V2.Single.self).error == nil)
  }

  @Test func `compound duplicates are named, too`() async throws {
    try await file.make([V1.Song(id: 1, title: "a", year: 7), V1.Song(id: 2, title: "a", year: 7)])
    let error = await file.migrate(V2.Song.self).error
    #expect(error?.code == .uniquenessViolated && error?.attributes == ["title", "year"])
    #expect(error?.keys == [RecordKey(.integer(1)), RecordKey(.integer(2))])
  }
}
