import StrataTestTurns
import Testing

@testable import Strata

private struct Old: Entity {
  var id: Int64 = 0
  var title = ""
  var length = 0
  static let schema = Schema<Old>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.length)
  }
}

private struct New: Entity {
  var id: Int64 = 0
  var title = ""
  var length = 0.0
  static let schema = Schema<New>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.length).converted(from: Int.self) { Double($0) / 2 }
  }
}

@Suite(.inTurn) struct LargeMigrationTests {
  private static let count: Int64 = 100_000

  @Test func `a hundred thousand rows are converted, and progress is told`() async throws {
    let file = try StoreFile()
    try await file.open(Old.self) { stack in
      try await stack.withScratch { scratch in
        for id in 0..<Self.count { scratch.insert(Old(id: id, title: "t\(id)", length: Int(id))) }
      }
    }
    let progress = Lock<[MigrationProgress]>([])
    try await file.open(
      New.self, options: { $0.migrationProgress = { now in progress.withLock { $0.append(now) } } }
    ) { stack in
      let found = try await stack.fetch(New.where { $0.length == 49_999.5 })
      #expect(found.map(\.title) == ["t99999"])
      #expect(try await stack.viewContext.count(New.all) == Int(Self.count))
    }
    let copying = progress.withLock { $0.filter { $0.phase == .copying } }
    #expect(copying.count == Int(Self.count) / 1000 + 1)
    #expect(copying.map(\.done) == Array(stride(from: 0, through: Int(Self.count), by: 1000)))
    #expect(copying.allSatisfy { $0.table == "songs" && $0.total == Int(Self.count) })
    #expect(progress.withLock { $0.last?.phase } == .indexing)
  }

  @Test func `a step tells how many rows it has read`() async throws {
    let file = try StoreFile()
    try await file.make((0..<2500).map { Old(id: $0) })
    let progress = Lock<[MigrationProgress]>([])
    let step = MigrationStep(to: 2) { migration in
      for row in try migration.rows(of: "songs") {
        try migration.update(row.key, of: "songs", ["title": .text("x")])
      }
    }
    let result = await file.migrate(Old.self, version: 2) {
      $0.migrations = [step]
      $0.migrationProgress = { now in progress.withLock { $0.append(now) } }
    }
    #expect(result.error == nil)
    let steps = progress.withLock { $0.filter { $0.table == "songs" } }
    #expect(steps.map(\.done) == [0, 1000, 2000, 2500])
    #expect(steps.allSatisfy { $0.phase == .step(to: 2) && $0.total == 2500 })
  }
  /// Progress is reported once in a thousand rows, but for each single index.
  @Test func `progress tells of every index that was made`() async throws {
    struct Indexed: Entity {
      var id: Int64 = 0
      var title = ""
      var length = 0
      static let schema = Schema<Indexed>("songs", key: \.id) {
        Attribute(\.title).unique().fullText()
        Attribute(\.length).indexed()
        Unique(\.title, \.length)
      }
    }
    struct Bare: Entity {
      var id: Int64 = 0
      var title = ""
      var length = 0
      static let schema = Schema<Bare>("songs", key: \.id) {
        Attribute(\.title)
        Attribute(\.length)
      }
    }
    let file = try StoreFile()
    try await file.make([Bare(id: 1)])
    let progress = Lock<[MigrationProgress]>([])
    let result = await file.migrate(Indexed.self) {
      $0.migrationProgress = { now in progress.withLock { $0.append(now) } }
    }
    let made = (result.actions ?? []).filter {
      switch $0 {
      case .createIndex: true
      default: false
      }
    }.count
    #expect(made > 1)
    let reported = progress.withLock { $0.filter { $0.phase == .indexing } }.map {
      [$0.done, $0.total]
    }
    #expect(reported == (0...made).map { [$0, made] } + [[0, 1], [1, 1]])
  }
}
