/// A random history that counts its steps and notes them in a log.
@MainActor
protocol RandomHistory: AnyObject {
  var log: StepLog { get }
  var counts: [String: Int] { get set }
}

extension RandomHistory {
  /// Notes a step, and counts it among those of its kind.
  func note(_ step: String, _ kind: String) {
    log.add(step)
    counts[kind, default: 0] += 1
  }

  func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
    try Contradiction.unless(condition, text())
  }
}
