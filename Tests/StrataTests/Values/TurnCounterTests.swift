import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct TurnCounterTests {
  /// An executor that runs its jobs at once, where they are enqueued, and counts them.
  private final class Counting: SerialExecutor {
    let jobs = Lock(0)

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.withLock { $0 += 1 }
      UnownedJob(job).runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  private actor Worker {
    let executor = Counting()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Returns the turns whose end suspended the task, so that it came back as another job.
    func suspensions(in turns: ClosedRange<Int>) async -> [Int] {
      let counter = TurnCounter()
      var suspensions: [Int] = []
      for turn in turns {
        let before = executor.jobs.withLock(\.self)
        await counter.endTurn()
        if executor.jobs.withLock(\.self) > before { suspensions.append(turn) }
      }
      return suspensions
    }
  }

  @Test func `other tasks run after every 32nd turn`() async {
    #expect(await Worker().suspensions(in: 1...96) == [32, 64, 96])
  }
}
