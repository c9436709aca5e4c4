import Foundation

/// Measures the longest turn of the main actor.
///
/// While the main actor is busy, beat follows beat. The time between two beats is the processor time
/// of the thread, so other processes on the machine do not count. The turns that run between two
/// beats count together, so the result is an upper bound.
@MainActor final class Pulse {
  private(set) var longest = Duration.zero
  private var beating: Task<Void, Never>?
  private var last = Pulse.used()
  /// The number of beats without work between them.
  private var idleBeats = 0

  private struct Used: Sendable {
    let thread: pthread_t
    let time: ThreadClock.Instant
  }

  /// Begins a new measurement.
  func reset() { longest = .zero }

  func begin() {
    guard beating == nil else { return }
    last = Self.used()
    beating = Task { [weak self] in
      while !Task.isCancelled, let isIdle = self?.beat() {
        if isIdle { try? await Task.sleep(for: .milliseconds(2)) } else { await Task.yield() }
      }
    }
  }

  func end() {
    beating?.cancel()
    beating = nil
  }

  /// Notes the time since the last beat, and returns whether the main actor is idle.
  private func beat() -> Bool {
    let now = Self.used()
    let held = last.time.duration(to: now.time)
    // The main actor may run on any thread.
    if pthread_equal(now.thread, last.thread) != 0 { longest = max(longest, held) }
    idleBeats = held < .microseconds(50) ? idleBeats + 1 : 0
    last = now
    return idleBeats > 20
  }

  private static func used() -> Used { Used(thread: pthread_self(), time: ThreadClock().now) }
}
