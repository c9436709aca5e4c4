import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// The holders of snapshots, as a report names them.
@MainActor @Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct HolderTests {
  private let stack = Stack.test

  /// Returns the names of the holders of snapshots that are older than the newest commit.
  private func holders() async throws -> [String] {
    let report = try await stack.diagnostics()
    return report.snapshots.filter { $0.commit < report.commit }.flatMap(\.holders).map {
      #expect($0.age >= .zero)
      return $0.kind.rawValue + ($0.name.map { " " + $0 } ?? "")
    }.sorted()
  }

  /// Commits a harbour, so that earlier readers hold an older snapshot.
  private func commit(_ id: Int) async throws {
    try await stack.commit { $0.insert(Harbour(id: id, name: "New")) }
    try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
  }

  init() async throws {
    try await stack.commit { scratch in
      for id in 1...5 { scratch.insert(Boat(id: id, name: "Boat \(id)", length: id)) }
    }
  }

  @Test func `the view context and its live queries hold the newest state`() async throws {
    try await commit(1)
    let found = await eventually {
      let report = try? await stack.diagnostics()
      return Set(report?.snapshots.last?.holders.map(\.kind) ?? [])
        .isSuperset(of: [.viewContext, .liveQueries])
    }
    #expect(found)
    #expect(try await holders() == [])
  }

  @Test func `scratch contexts are told by their names`() async throws {
    let sync = stack.makeScratch()
    sync.name = "sync"
    _ = try await sync.count(Boat.all)
    let child = sync.makeScratch()
    child.name = "row"
    try await commit(1)
    #expect(try await holders() == ["scratch context row", "scratch context sync"])
    sync.name = "old sync"
    #expect(try await holders() == ["scratch context old sync", "scratch context row"])
    await sync.refresh()
    #expect(try await holders() == ["scratch context row"])
    let sheet = stack.viewContext.makeScratch()
    sheet.name = "sheet"
    try await commit(2)
    #expect(try await holders() == ["scratch context row", "scratch context sheet"])
    await child.refresh()
    await sheet.refresh()
    #expect(try await holders() == [])
    withExtendedLifetime((sync, child, sheet)) {}
  }

  @Test func `iterations that are not at their end are told`() async throws {
    var batches: FetchBatches<Stack, Boat>.Iterator? =
      stack.batches(of: Boat.all, size: 2).makeAsyncIterator()
    #expect(try await batches?.next()?.count == 2)
    try await commit(1)
    #expect(try await holders() == ["batches"])
    #expect(try await stack.diagnostics().snapshots.first?.isBeingRead == true)
    while try await batches?.next() != nil {}
    batches = nil
    #expect(await eventually { (try? await holders()) == [] })
  }

  @Test func `an iteration over the history is told`() async throws {
    var options = Stack.Options()
    options.history = .keep(bytes: 1 << 20)
    let other = try await Stack.temporary(Harbour.self, options: options)
    for id in 1...3 { try await other.commit { $0.insert(Harbour(id: id, name: "Kiel")) } }
    var entries = other.history(since: nil).makeAsyncIterator()
    #expect(try await entries.next() != nil)
    try await other.commit { $0.insert(Harbour(id: 4, name: "Kiel")) }
    try await other.viewContext.waitUntilMerged(other.store.newestCommit)
    let report = try await other.diagnostics()
    #expect(report.snapshots.first?.holders.map(\.kind) == [.history])
    await other.close()
  }

  @Test func `a snapshot that is being read is in the diagnostics`() async throws {
    let (reached, goOn) = (Lock(false), DispatchSemaphore(value: 0))
    let snapshot = try await stack.store.snapshot()
    async let read: Void = snapshot.readOnce { _, _ throws(StoreError) in
      reached.withLock { $0 = true }
      goOn.wait()
    }
    #expect(await eventually { reached.withLock(\.self) })
    let report = try await stack.diagnostics()
    #expect(report.snapshots.contains { $0.holders.map(\.kind).contains(.read) })
    goOn.signal()
    try await read
  }
}
