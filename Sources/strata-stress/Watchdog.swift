import Foundation
import Strata

/// Ends the process with a report if a step takes too long.
final class Watchdog: Sendable {
  private struct State: Sendable {
    var label = "the beginning"
    var deadline = ContinuousClock.now
    var hasEnded = false
  }

  private let state = Lock(State())

  /// The longest time that a short step may take on a busy machine.
  static let patience = Duration.seconds(300)

  private let patience: Duration

  /// - Parameter work: the time that a long step takes on a quiet machine; zero for short steps.
  init(mode: String, work: Duration = .zero) {
    let patience = Self.patience + work
    self.patience = patience
    state.withLock { $0.deadline = .now + patience }
    Thread.detachNewThread { [state] in
      while true {
        Thread.sleep(forTimeInterval: 1)
        let state = state.withLock { $0 }
        if state.hasEnded { return }
        if state.deadline >= .now { continue }
        let report = Report(mode: mode, violations: ["does not come to an end: \(state.label)"])
        print(report.json)
        exit(1)
      }
    }
  }

  /// Ends the watch, and with it the watching thread.
  ///
  /// A process that makes one watchdog needs no end. A simulated run makes thousands.
  func end() {
    state.withLock { $0.hasEnded = true }
  }

  /// Starts the next step with a new deadline.
  func begin(_ label: String) {
    state.withLock { $0 = State(label: label, deadline: .now + patience) }
  }
}
