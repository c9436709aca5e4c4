import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct TurnCounterTests {
  @MainActor
  @Test func `other tasks run after every 32nd turn`() async {
    let turns = TurnCounter()
    var others = 0
    let other = Task {
      while !Task.isCancelled {
        others += 1
        await Task.yield()
      }
    }
    defer { other.cancel() }
    for turn in 1...96 {
      let before = others
      await turns.endTurn()
      #expect((others > before) == (turn % 32 == 0), "turn \(turn)")
    }
  }
}
