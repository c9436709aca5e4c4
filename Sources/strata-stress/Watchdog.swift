import Foundation
import Strata

/// Ends the process with a report if a step takes too long, and shows the steps on a terminal.
final class Watchdog: Sendable {
  private struct State: Sendable {
    var label = "the beginning"
    var deadline = ContinuousClock.now
    var hasEnded = false
    /// The part of the run that is done.
    var done: Double?
    /// The steps of the history that runs.
    var log: StepLog?
  }

  private let state = Lock(State())

  /// The longest time that a short step may take on a busy machine.
  static let patience = Duration.seconds(300)

  private let patience: Duration
  private let mode: String
  private let progress: ProgressLine?

  /// - Parameter work: the time that a long step takes on a quiet machine; zero for short steps.
  init(mode: String, work: Duration = .zero) {
    self.mode = mode
    let progress = ProgressLine.shared(for: mode)
    self.progress = progress
    let patience = Self.patience + work
    self.patience = patience
    state.withLock { $0.deadline = .now + patience }
    Thread.detachNewThread { [state] in
      while true {
        Thread.sleep(forTimeInterval: 1)
        let current = state.withLock { $0 }
        if current.hasEnded { return }
        guard current.deadline < .now else {
          // A long step shows that time goes by.
          progress?.show("\(mode): \(current.label)", done: current.done)
          continue
        }
        var violation = "does not come to an end: \(current.label)"
        if let log = current.log { violation = log.words(violation) }
        let report = Report(mode: mode, violations: [violation])
        ProgressLine.shared.end()
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
  ///
  /// - Parameters:
  ///   - done: the part of the run that is done, from 0 to 1; nil if it is unknown.
  ///   - log: the steps to report if the step takes too long.
  func begin(_ label: String, done: Double? = nil, _ log: StepLog? = nil) {
    state.withLock { $0 = State(label: label, deadline: .now + patience, done: done, log: log) }
    progress?.show("\(mode): \(label)", done: done)
  }
}

extension ProgressLine {
  /// The line of this process.
  static let shared = ProgressLine()

  /// Returns the line for the mode that the command line names; nil for any other mode.
  ///
  /// A run within another run, such as a simulated history, has a clock of its own. A child leaves
  /// the line to its parent.
  static func shared(for mode: String) -> ProgressLine? {
    mode == CommandLine.arguments.dropFirst().first && mode != "child" ? shared : nil
  }
}
