import StrataTestTurns
import Testing

@testable import Strata

/// A continuation that takes its task to the task's actor without a detour.
@Suite(.inTurn) struct DirectContinuationTests {
  private actor Reader {
    let executor = InlineExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var read: [Int] = []

    func read(_ continuation: DirectContinuation<Int>) async {
      // Without an access to the actor, the task would wait before it goes there.
      read.removeAll()
      read.append(await continuation.value)
    }
  }

  @Test func `a value that comes first is there at once`() async {
    let continuation = DirectContinuation<Int>()
    continuation.resume(returning: 7)
    #expect(await continuation.value == 7)
  }

  @Test func `a task goes to its actor on the thread that resumes it`() async {
    let reader = Reader()
    let continuation = DirectContinuation<Int>()
    let reading = Task { await reader.read(continuation) }
    // The first job ends when the task waits.
    for await _ in reader.executor.ends.stream { break }
    continuation.resume(returning: 7)
    // A task on its way over the pool would not have come here yet.
    #expect(reader.executor.ended.withLock(\.self) == 2)
    await reading.value
    #expect(await reader.read == [7])
  }

  @Test func `many tasks get the value of a promise, whether they wait or come later`() async {
    for _ in 0..<100 {
      let promise = Promise<Int>()
      await withTaskGroup { group in
        for _ in 0..<8 { group.addTask { #expect(await promise.value == 7) } }
        group.addTask { promise.resolve(7) }
      }
    }
  }

  @Test func `resuming twice traps`() async {
    await #expect(processExitsWith: .failure) {
      let continuation = DirectContinuation<Int>()
      continuation.resume(returning: 1)
      continuation.resume(returning: 2)
    }
  }
}
