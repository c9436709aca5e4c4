import Testing

/// Turns of the main actor that come when the test says so.
@MainActor final class ManualTurns {
  private var turns: [@MainActor () -> Void] = []

  var count: Int { turns.count }

  func add(_ turn: @escaping @MainActor () -> Void) { turns.append(turn) }

  /// Runs the turns asked for so far, and not those they ask for.
  func run() {
    let current = turns
    turns = []
    for turn in current { turn() }
  }

  /// Runs turns until none is asked for; answers how many rounds that took.
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
