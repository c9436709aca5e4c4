import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@MainActor @Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct StackDiagnosticsTests {
  private let stack = Stack.test

  @Test func `a report says what is stored, held and shown`() async throws {
    try await stack.commit { scratch in
      for id in 1...100 { scratch.insert(Boat(id: id, name: "Boat \(id)", length: id)) }
    }
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
    let live = try await stack.viewContext.loaded(Boat.where { $0.length > 90 })
    let harbour = try await stack.viewContext.loaded(Harbour.all)
    let old = stack.makeScratch()
    _ = try await old.count(Boat.all)
    let changes = stack.changes
    let harbours = stack.viewContext.changes(of: Harbour.self)
    try await stack.commit { scratch in
      scratch.insert(Boat(id: 101, name: "New", length: 101))
      scratch.insert(Harbour(id: 1, name: "Kiel"))
    }
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)

    let report = try await stack.diagnostics()
    #expect(report.commit == 2)
    let path = await stack.path
    #expect(report.file.path == path && report.file.logSize > 0)
    #expect(report.file.pages > 1 && report.file.pageSize == 4096)
    #expect(report.cache.size > 0 && report.cache.hits > 0 && report.cache.statements > 0)
    #expect(report.waitingWrites == 0)
    #expect(report.streams.map(\.unread) == [1, 1] && report.unreadCommits == 1)
    #expect(report.streams.map(\.isOfView) == [false, true])
    #expect(report.streams.map(\.entity) == [nil, "Harbour"])
    #expect(report.file.logUsed > 0 && report.file.logUsed <= report.file.logSize)
    #expect(report.activity.isIdle && report.unpushedRows == 0 && report.statements == [])
    #expect(report.snapshots.first?.commit == 1 && report.snapshots.first?.isOfView == false)
    #expect(report.snapshots.filter(\.isOfView).map(\.commit) == [2])
    #expect(report.readers >= 2)
    let shown = try #require(report.liveQueries.first)
    #expect(shown.entity == "Boat" && shown.rows == 11 && shown.isLoaded)
    #expect(shown.statistics.maintainedChanges == 1)

    let text = "\(report)"
    #expect(text.contains("commit 1, 1 behind: scratch context for "))
    #expect(text.contains("commit 2, 0 behind: "))
    #expect(text.contains("1 unread of Harbour, view context"))
    #expect(text.contains(shown.sql) && shown.sql.contains("\"length\" > ?"))
    #expect(text.contains("Boat: 11 rows, "))
    let json = try JSONEncoder().encode(report)
    #expect(try JSONDecoder().decode(StackDiagnostics.self, from: json) == report)
    withExtendedLifetime((live, harbour, old, changes, harbours)) {}
  }

  @Test func `a live query and a snapshot that were released are not in the diagnostics`()
    async throws
  {
    do {
      _ = try await stack.viewContext.loaded(Boat.all)
      _ = try await stack.makeScratch().fetch(Boat.all)
    }
    let report = try await stack.diagnostics()
    #expect(report.liveQueries == [])
    #expect(report.snapshots.count { $0.isOfView } == 1)
  }

  @Test func `a trace has every statement, and no values`() async throws {
    let seen = Lock<[TracedStatement]>([])
    var options = Stack.Options()
    options.trace = { statement in seen.withLock { $0.append(statement) } }
    let other = try await Stack.temporary(Boat.self, Harbour.self, options: options)
    try await other.commit { $0.insert(Boat(id: 1, name: "Secret", length: 7)) }
    #expect(try await other.fetch(Boat.where { $0.name == "Secret" }).count == 1)
    await other.suspend()
    try await other.resume()
    try await other.commit { $0.delete(Boat(id: 1, name: "Secret", length: 7)) }
    await other.close()
    let all = seen.withLock(\.self)
    func count(_ start: String, isOfWriter: Bool) -> Int {
      all.count { $0.sql.hasPrefix(start) && $0.isOfWriter == isOfWriter }
    }
    #expect(count("INSERT INTO \"boats\"", isOfWriter: true) == 1)
    #expect(count("DELETE FROM \"boats\"", isOfWriter: true) == 1)
    #expect(all.contains { $0.sql.contains("\"name\" = ?") && !$0.isOfWriter })
    #expect(!all.contains { "\($0)".contains("Secret") || $0.duration < .zero })
  }

  @Test func `a closed stack has nothing to say`() async throws {
    let other = try await Stack.temporary(Boat.self, Harbour.self)
    await other.close()
    let error = await failure { _ = try await other.diagnostics() }
    #expect(error?.code == .closed)
  }
}
