import Foundation
import Strata

/// Ends the process with a report if something that must come to an end does not.
final class Watchdog: Sendable {
  private struct State: Sendable {
    var label = "the beginning"
    var deadline = ContinuousClock.now
  }

  private let state = Lock(State())

  /// - Parameter patience: how long one thing may take, on a machine that is busy with others, too.
  init(mode: String, patience: Duration = .seconds(300)) {
    state.withLock { $0.deadline = .now + patience }
    self.patience = patience
    Thread.detachNewThread { [state] in
      while true {
        Thread.sleep(forTimeInterval: 1)
        let label = state.withLock { $0.deadline < .now ? $0.label : nil }
        guard let label else { continue }
        let report = Report(mode: mode, violations: ["does not come to an end: \(label)"])
        print(report.json)
        exit(1)
      }
    }
  }

  private let patience: Duration

  /// Says what begins now.
  func begin(_ label: String) {
    state.withLock { $0 = State(label: label, deadline: .now + patience) }
  }
}
