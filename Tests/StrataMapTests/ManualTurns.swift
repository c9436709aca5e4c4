import Testing

/// Turns of the main actor that run when the test runs them.
@MainActor final class ManualTurns {
  private var turns: [@MainActor () -> Void] = []

  var count: Int { turns.count }

  func add(_ turn: @escaping @MainActor () -> Void) { turns.append(turn) }

  /// Runs the turns that are scheduled now. The turns that they schedule wait for the next call.
  func run() {
    let current = turns
    turns = []
    for turn in current { turn() }
  }

  /// Runs turns until none is scheduled, and returns the number of rounds.
  @discardableResult func runAll() -> Int {
    var rounds = 0
    while !turns.isEmpty, rounds < 10_000 {
      run()
      rounds += 1
    }
    #expect(turns.isEmpty, "turns without end")
    return rounds
  }
}
