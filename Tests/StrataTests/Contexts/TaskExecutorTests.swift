import Dispatch
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Tasks that prefer an executor of their own.
///
/// Such a task may be suspended at every call of an `async` function, even between two functions of
/// the main actor.
@Suite(.inTurn, .stack(Boat.self, Harbour.self)) struct TaskExecutorTests {
  // Such a task may be suspended between the check of the view context's state and the wait. A turn
  // that comes in between must not be missed. Otherwise the waits for merges and first loads would
  // never end.
  @Test func `no wait misses what comes while it begins`() async throws {
    let executor = QueueExecutor(.concurrent)
    let stack = Stack.test
    for round in 0..<50 {
      let tasks = (0..<4).map { Self.start(stack, number: round * 4 + $0, on: executor) }
      for task in tasks { try await task.value }
    }
    #expect(try await stack.count(Boat.all) == 400)
  }

  private static func start(
    _ stack: Stack, number: Int, on executor: QueueExecutor
  ) -> Task<Void, any Error> {
    Task.detached(executorPreference: executor) { try await work(stack, number) }
  }

  private static func work(_ stack: Stack, _ number: Int) async throws {
    let live = await stack.viewContext.live(Boat.where { $0.length >= number })
    try await live.waitUntilLoaded()
    let scratch = stack.makeScratch()
    scratch.insert(Boat(id: number, length: number))
    try await stack.viewContext.waitUntilMerged(try await scratch.save())
    #expect(await live.elements.contains { $0.id == number })
    await stack.viewContext.insert(Boat(id: -1 - number))
    try await stack.viewContext.save()
    #expect(try await stack.viewContext.fetch(Boat.where { $0.id == -1 - number }).count == 1)
  }

  @Test func `a task that reads in a loop lets other tasks have its thread`() async throws {
    let executor = QueueExecutor()
    let snapshot = try await Stack.test.store.snapshot()
    let boats = QueryPlan(everyRowOf: Stack.test.store.model.table(of: Boat.self))
    let others = Lock(0)
    let reading = Task.detached(executorPreference: executor) {
      let other = Task.detached(executorPreference: executor) {
        while !Task.isCancelled {
          others.withLock { $0 += 1 }
          await Task.yield()
        }
      }
      for _ in 0..<320 { _ = try await snapshot.count(boats) }
      other.cancel()
    }
    try await reading.value
    #expect(others.withLock { $0 } >= 9)
  }

  @MainActor @Test func `a condition that is met when a wait begins ends the wait at once`()
    async throws
  {
    let waiters = Waiters()
    await waiters.wait(for: .change) { false }
    try await waiters.waitUnlessCancelled { false }
    let cancelled = Task { @MainActor in
      withUnsafeCurrentTask { $0?.cancel() }
      try await waiters.waitUnlessCancelled { true }
    }
    await #expect(throws: StoreError.self) { try await cancelled.value }
    await #expect(throws: StoreError.self) {
      try await withStoreDeadline(in: .zero) {
        try await waiters.waitUnlessCancelled { true }
      }
    }
  }
}

private final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(_ attributes: DispatchQueue.Attributes = []) {
    queue = DispatchQueue(label: "task executor", attributes: attributes)
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
