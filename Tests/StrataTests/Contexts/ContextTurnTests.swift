import Testing

@testable import Strata

/// The two halves of a change: every state meets every event.
@Suite struct ContextTurnTests {
  @Test func `the outermost change tells, once`() {
    var turn = ContextTurn()
    turn.begin()
    turn.begin()
    var ends = [turn.end(), turn.end()]
    #expect(ends == [false, true] && turn.isTelling)
    // Whoever is told may change the context: that is told by who tells already.
    turn.begin()
    turn.begin()
    ends = [turn.end(), turn.end()]
    #expect(ends == [false, false] && turn.isTelling)
    turn.told()
    #expect(turn == ContextTurn())
    turn.begin()
    ends = [turn.end()]
    #expect(ends == [true])
    turn.told()
  }

  @Test func `what has not begun does not end`() async {
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      _ = turn.end()
    }
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      turn.told()
    }
    await #expect(processExitsWith: .failure) {
      var turn = ContextTurn()
      turn.begin()
      turn.told()
    }
  }
}
