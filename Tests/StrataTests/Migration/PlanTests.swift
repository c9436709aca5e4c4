import Foundation
import StrataTestTurns
import Testing

@testable import Strata

private enum V1 {
  struct Song: Entity {
    var id: Int64 = 0
    var title = ""
    var year: Int?
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title)
      Attribute(\.year)
    }
  }
}

private enum V2 {
  struct Light: Entity {
    var id: Int64 = 0
    var name = ""
    var year: Int?
    var mood: String?
    static let schema = Schema<Light>("songs", key: \.id) {
      Attribute(\.name).formerly("title").indexed()
      Attribute(\.year)
      Attribute(\.mood)
    }
  }
  struct Heavy: Entity {
    var id: Int64 = 0
    var title = ""
    var year = 0
    static let schema = Schema<Heavy>("songs", key: \.id) {
      Attribute(\.title).unique()
      Attribute(\.year).converted(from: Int?.self) {
        guard let year = $0 else { throw Nonsense() }
        return year
      }
    }
  }
}

@Suite(.inTurn) struct PlanTests {
  private let file: StoreFile
  init() throws { file = try StoreFile() }

  private func plan(
    _ entities: any Entity.Type..., version: Int = 1, steps: [MigrationStep] = []
  ) async throws -> MigrationPlan {
    var options = Stack.Options()
    options.schemaVersion = version
    options.migrations = steps
    options.migrationProgress = { _ in Issue.record("a plan has no progress") }
    let before = try? file.bytes
    let plan = try await Stack.plan(entities, at: file.url, options: options)
    #expect((try? file.bytes) == before)
    return plan
  }

  @Test func `the migration does what its plan says`() async throws {
    try await file.make([V1.Song(id: 1, title: "a", year: 1), V1.Song(id: 2, title: "b", year: 2)])
    let step = MigrationStep(to: 2) { try $0.delete(RecordKey(.integer(2)), from: "songs") }
    let light = try await plan(V2.Light.self)
    #expect(light.actions.count == 4 && light.storedVersion == 1)
    let heavy = try await plan(V2.Heavy.self, version: 2, steps: [step])
    #expect(heavy.actions.contains(.copyRows(1, table: "songs")))
    #expect(heavy.problems.isEmpty)
    let copy = try StoreFile()
    try FileManager.default.copyItem(at: file.url, to: copy.url)
    #expect(await copy.migrate(V2.Light.self).actions == light.actions)
    let opened = await file.migrate(V2.Heavy.self, version: 2) { $0.migrations = [step] }
    #expect(opened.actions == heavy.actions)
    #expect(try await plan(V2.Heavy.self, version: 2, steps: [step]).isEmpty)
  }

  @Test func `problems are told, of declarations and of rows`() async throws {
    try await file.make([V1.Song(id: 1, title: "a"), V1.Song(id: 2, title: "a", year: 2)])
    struct Less: Entity {
      var id: Int64 = 0
      static let schema = Schema<Less>("songs", key: \.id) {}
    }
    let less = try await plan(Less.self)
    #expect(less.problems.map(\.attributes) == [["title"], ["year"]] && less.actions.isEmpty)
    #expect(less.description.contains("problem: schemaMismatch"))
    let null = try await plan(V2.Heavy.self)
    #expect(null.problems.first?.code == .migrationFailed)
    #expect(null.problems.first?.keys == [RecordKey(.integer(1))])
    try file.execute("UPDATE songs SET year = 1 WHERE id = 1")
    #expect(try await plan(V2.Heavy.self).problems.first?.code == .uniquenessViolated)
    try file.execute("ALTER TABLE songs ADD COLUMN more TEXT")
    #expect(try await plan(V2.Heavy.self).problems.first?.message.contains("\"more\"") == true)
    try file.execute("UPDATE strata_schema SET version = 9")
    let newer = try await plan(V2.Heavy.self)
    #expect(newer.problems.first?.code == .newerStore && newer.storedVersion == 9)
  }

  @Test func `a store that is not there would be created`() async throws {
    let plan = try await plan(V2.Light.self, version: 3)
    #expect(plan.storedVersion == nil && plan.actions.first == .createTable("songs"))
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try file.execute("VACUUM")
    #expect(try await self.plan(V2.Light.self, version: 3).actions == plan.actions)
    // The opened store reports every table as the plan does, not only the recorded version.
    #expect(await file.migrate(V2.Light.self, version: 3).actions == plan.actions)
  }

  @Test func `a plan reads as sentences`() async throws {
    try await file.make([V1.Song(id: 1, title: "a", year: 1)])
    let plan = try await plan(V2.Light.self, version: 2)
    #expect(
      plan.description == """
        version 1 to 2
        1. rename column "title" of "songs" to "name"
        2. add column "mood" to "songs"
        3. create an index on name of "songs"
        4. record version 2
        """)
    let nothing = try await self.plan(V1.Song.self)
    #expect(nothing.description == "version 1 to 1\nnothing to do" && nothing.isEmpty)
  }

  @Test func `a file that is no store is an error, not a plan`() async throws {
    try Data("Dear Miles, ".utf8).write(to: file.url)
    #expect(await failure { try await plan(V1.Song.self) }?.code == .notADatabase)
    #expect(
      await failure { try await Stack.plan(V1.Song.self, V1.Song.self, at: file.url) }?.code
        == .invalidSchema)
  }

  @Test func `a plan is made while the store is open, and leaves it alone`() async throws {
    try await file.make([V1.Song(id: 1, title: "a", year: 1)])
    try await file.open(V1.Song.self) { stack in
      try await stack.withScratch { $0.insert(V1.Song(id: 2, title: "b", year: 2)) }
      #expect(try await plan(V2.Heavy.self).actions.contains(.copyRows(2, table: "songs")))
      try await stack.withScratch { $0.insert(V1.Song(id: 3)) }
      #expect(try await stack.fetch(V1.Song.all).count == 3)
    }
  }
}
