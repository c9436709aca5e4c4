import Strata

/// The steps of a history in words. The log outlives a failed history.
final class StepLog: Sendable {
  private struct State: Sendable {
    var steps: [String] = []
    /// The step that each part of the history is at.
    var current: [String: String] = [:]
  }

  private let state = Lock(State())

  var steps: [String] { state.withLock { $0.steps } }

  /// The parts that have not ended, each with its step.
  var waits: [String] {
    state.withLock { $0.current.sorted { $0.key < $1.key }.map { "\($0.key) at \($0.value)" } }
  }

  /// Adds a step. The name of a store's file, which an error may have, is another one in each run of a seed.
  func add(_ step: String) {
    let words = step.replacing(/strata-[a-z]+-[0-9A-F-]{36}/, with: "store")
    state.withLock { $0.steps.append(words) }
  }

  /// Notes the step that a part begins; nil if the part has ended.
  func begin(_ step: String?, of part: String) { state.withLock { $0.current[part] = step } }

  /// Returns a violation, the steps that wait and all steps, one a line.
  func words(_ violation: String) -> String {
    ([violation] + waits.map { "waiting: \($0)" } + steps).joined(separator: "\n    ")
  }
}
