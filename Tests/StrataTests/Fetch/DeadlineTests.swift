internal import StrataSQLite
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn, .stack(Sale.self, Shop.self)) @MainActor struct DeadlineTests {
  let stack = Stack.test

  /// A statement that runs until it is stopped.
  private nonisolated static let endlessText = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n
    """
  private static let endless = RawSQL(stringLiteral: endlessText)

  private func code(_ read: @MainActor () async throws -> Void) async -> StoreError.Code? {
    do {
      try await read()
      return nil
    } catch { return (error as? StoreError)?.code }
  }

  // The test does not run on the main actor, where a connection is idle only a moment after its
  // snapshot ends.
  @concurrent @Test func `cancelling the task stops a statement that runs`() async throws {
    let ended = Lock(0)
    // The next snapshot gets the same idle connection.
    try await stack.store.snapshot().read { _, connection in
      connection.trace(countsRows: false) { _ in ended.withLock { $0 += 1 } }
    }
    let before = ended.withLock(\.self)
    let reading = Task { [stack] in try await stack.read(Self.endless, as: Int.self) }
    // The transaction and the two reads of a pin end before the endless statement begins.
    while ended.withLock(\.self) < before + 3 { await Task.yield() }
    await others()
    reading.cancel()
    let error = await #expect(throws: StoreError.self) { _ = try await reading.value }
    #expect(error?.code == .cancelled)
    try await expectUsable()
    try await stack.store.snapshot().read { _, connection in connection.endTrace() }
  }

  @Test func `a deadline stops a statement that runs`() async throws {
    let found = await code {
      try await withStoreDeadline(in: .milliseconds(20)) {
        _ = try await stack.read(Self.endless, as: Int.self)
      }
    }
    #expect(found == .deadlineExceeded)
    try await expectUsable()
  }

  @concurrent @Test
  func `a read that waits for the statement of another can leave, or gives up in time`()
    async throws
  {
    let (snapshot, gate) = (try await stack.store.snapshot(), TestGate())
    let reading = Task {
      try await snapshot.readOnce { _, connection throws(StoreError) in
        Task { await gate.open() }
        return try connection.prepared(Self.endlessText).firstInteger()
      }
    }
    await gate.pass()
    let late = await #expect(throws: StoreError.self) {
      try await withStoreDeadline(in: .milliseconds(5)) {
        try await snapshot.readOnce { _, _ in }
      }
    }
    #expect(late?.code == .deadlineExceeded)
    let leaving = Task { try await snapshot.readOnce { _, _ in } }
    leaving.cancel()
    let left = await #expect(throws: StoreError.self) { try await leaving.value }
    #expect(left?.code == .cancelled)
    // The first statement has run all the time.
    reading.cancel()
    let stopped = await #expect(throws: StoreError.self) { _ = try await reading.value }
    #expect(stopped?.code == .cancelled)
    // No read is left in the queue.
    try await snapshot.readOnce { _, _ in }
    try await expectUsable()
  }

  @Test func `a call after its deadline does not begin`() async throws {
    let found = await code {
      try await withStoreDeadline(in: .zero) { _ = try await stack.viewContext.fetch(Sale.all) }
    }
    #expect(found == .deadlineExceeded)
    let save = await code {
      stack.viewContext.insert(Sale(id: 1))
      try await withStoreDeadline(in: .zero) { _ = try await stack.viewContext.count(Sale.all) }
    }
    #expect(save == .deadlineExceeded)
    #expect(stack.viewContext.hasChanges)
    try await expectUsable()
  }

  @Test func `the earliest of several deadlines counts, and none outlives its call`() async throws {
    let found = await code {
      try await withStoreDeadline(in: .milliseconds(20)) {
        try await withStoreDeadline(in: .seconds(3_600)) {
          _ = try await stack.read(Self.endless, as: Int.self)
        }
      }
    }
    #expect(found == .deadlineExceeded)
    let answer = try await withStoreDeadline(in: .seconds(3_600)) {
      try await stack.viewContext.count(Sale.all)
    }
    #expect(answer == 0)
    #expect(StoreDeadline.current == nil)
  }

  @Test func `a deadline ends what waits for a resumption`() async throws {
    await stack.suspend()
    let fetch = await code {
      try await withStoreDeadline(in: .milliseconds(5)) {
        _ = try await stack.viewContext.fetch(Sale.all)
      }
    }
    let read = await code {
      try await withStoreDeadline(in: .milliseconds(5)) { _ = try await stack.fetch(Sale.all) }
    }
    #expect(fetch == .deadlineExceeded && read == .deadlineExceeded)
    try await stack.resume()
    try await expectUsable()
  }

  @Test func `a live query that is opened before a deadline lives on after it`() async throws {
    let live = await withStoreDeadline(in: .zero) { stack.viewContext.live(Sale.all) }
    try await live.waitUntilLoaded()
    try await stack.withScratch { $0.insert(Sale(id: 5)) }
    #expect(live.elements.map(\.id) == [5])
  }

  @Test func `a deadline ends the wait for a live query, not the live query`() async throws {
    let (view, gate) = (stack.viewContext, TestGate())
    let shown = try await view.loaded(Sale.where { $0.units > 100 })
    await view.maintainer.hold(at: gate)
    let live = view.live(Sale.all)
    let count = view.live(.count, of: Sale.where { $0.units > 1 })
    let late: [@MainActor () async throws -> Void] = [
      { try await live.waitUntilLoaded() }, { try await count.waitUntilLoaded() },
      { try await shown.change(to: Sale.where { $0.units > 2 }) },
    ]
    for wait in late {
      let found = await code {
        try await withStoreDeadline(in: .milliseconds(5)) { try await wait() }
      }
      #expect(found == .deadlineExceeded)
    }
    await gate.open()
    try await live.waitUntilLoaded()
    #expect(try await count.waitUntilLoaded() == 0)
    try await stack.withScratch { $0.insert(Sale(id: 1, units: 3)) }
    #expect(await eventually { shown.elements.count == 1 })
  }

  /// Checks that the same connections still answer.
  private func expectUsable() async throws {
    #expect(try await stack.read("SELECT 1", as: Int.self) == [1])
    #expect(try await stack.fetch(Sale.all).isEmpty)
    _ = try await stack.viewContext.fetch(Sale.all)
  }
}
