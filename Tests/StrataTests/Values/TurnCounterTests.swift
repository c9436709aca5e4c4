import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct TurnCounterTests {
  private actor Worker {
    let executor = InlineExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Returns the turns whose end suspended the task, so that it came back as another job.
    func suspensions(in turns: ClosedRange<Int>) async -> [Int] {
      let counter = TurnCounter()
      var suspensions: [Int] = []
      for turn in turns {
        let before = executor.begun.withLock(\.self)
        await counter.endTurn()
        if executor.begun.withLock(\.self) > before { suspensions.append(turn) }
      }
      return suspensions
    }
  }

  @Test func `other tasks run after every 32nd turn`() async {
    #expect(await Worker().suspensions(in: 1...96) == [32, 64, 96])
  }
}
