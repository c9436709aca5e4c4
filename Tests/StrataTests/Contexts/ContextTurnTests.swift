import StrataTestTurns
import Testing

@testable import Strata

/// The two phases of a change: every state meets every event.
@Suite(.inTurn) struct ContextTurnTests {
  @Test func `the outermost change tells, once`() {
    var turn = ContextTurn()
    turn.begin()
    turn.begin()
    var ends = [turn.end(), turn.end()]
    #expect(ends == [false, true] && turn.isReporting)
    // An observer may change the context. The report in progress includes that change.
    turn.begin()
    turn.begin()
    ends = [turn.end(), turn.end()]
    #expect(ends == [false, false] && turn.isReporting)
    turn.didReport()
    #expect(turn == ContextTurn())
    turn.begin()
    ends = [turn.end()]
    #expect(ends == [true])
    turn.didReport()
  }

  @Test func `a turn that has not begun cannot end`() async {
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      _ = turn.end()
    }
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      turn.didReport()
    }
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      turn.begin()
      turn.didReport()
    }
  }
}
