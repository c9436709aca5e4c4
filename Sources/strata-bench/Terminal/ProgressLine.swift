import Foundation
import Synchronization

/// The line at the bottom of a terminal that shows the progress of long work.
///
/// It writes on standard error, and only if that is a terminal. Nothing of it gets into a pipe.
package final class ProgressLine: Sendable {
  private struct State {
    var isShown = false
    var hasEnded = false
    var next = Duration.zero
  }

  /// The shortest time between two writes. Fast steps would flicker, and take time themselves.
  private static let pause = Duration.milliseconds(100)

  private let terminal: Terminal
  private let put: @Sendable (String) -> Void
  private let progress = Progress(start: .zero)
  private let begin = ContinuousClock.now
  private let state = Mutex(State())

  /// - Parameters:
  ///   - terminal: The output for which the line is made.
  ///   - put: A function that writes text without a line break.
  package init(
    _ terminal: Terminal = .errors,
    put: @escaping @Sendable (String) -> Void = {
      FileHandle.standardError.write(Data($0.utf8))
    }
  ) {
    self.terminal = terminal
    self.put = put
  }

  /// Shows the current step and the part of the work that is done.
  package func show(_ step: @autoclosure () -> String, done: Double? = nil) {
    guard terminal.hasStyles else { return }
    let now = begin.duration(to: .now)
    let isDue = state.withLock { state in
      guard !state.hasEnded, now >= state.next else { return false }
      state = State(isShown: true, next: now + Self.pause)
      return true
    }
    guard isDue else { return }
    // A line as wide as the terminal would move the cursor to the next line.
    let line = terminal.spelled(progress.line(step(), done: done, now: now))
    put("\r\u{1B}[2K" + terminal.faint(String(line.prefix(terminal.columns - 1))))
  }

  /// Removes the line, so that other output can take its place.
  package func clear() { remove(forGood: false) }

  /// Removes the line. It is never shown again.
  package func end() { remove(forGood: true) }

  private func remove(forGood: Bool) {
    guard terminal.hasStyles else { return }
    let wasShown = state.withLock { state in
      let wasShown = state.isShown
      state = State(hasEnded: state.hasEnded || forGood)
      return wasShown
    }
    if wasShown { put("\r\u{1B}[2K") }
  }
}
