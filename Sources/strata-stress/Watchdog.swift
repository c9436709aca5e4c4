import Foundation
import Strata

/// Ends the process with a report if something that must come to an end does not.
final class Watchdog: Sendable {
  private struct State: Sendable {
    var label = "the beginning"
    var deadline = ContinuousClock.now
  }

  private let state = Lock(State())

  /// How long a short thing may take on a machine that is busy with others.
  static let patience = Duration.seconds(300)

  private let patience: Duration

  /// - Parameter work: how long one thing takes on a quiet machine, if it is not short.
  init(mode: String, work: Duration = .zero) {
    let patience = Self.patience + work
    self.patience = patience
    state.withLock { $0.deadline = .now + patience }
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

  /// Says what begins now.
  func begin(_ label: String) {
    state.withLock { $0 = State(label: label, deadline: .now + patience) }
  }
}
