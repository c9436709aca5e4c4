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
