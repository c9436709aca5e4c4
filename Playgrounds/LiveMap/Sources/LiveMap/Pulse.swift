import Foundation

/// Measures the longest turn of the main actor.
///
/// It asks for a turn every other millisecond. A turn took at most the processor time that its
/// thread has used since the turn before, so other processes on the machine do not count.
@MainActor final class Pulse {
  private(set) var longest = Duration.zero
  private var beating: Task<Void, Never>?
  private var last = Pulse.used()

  private struct Used {
    let thread: UInt
    let time: Duration
  }

  /// Begins a new measurement.
  func reset() { longest = .zero }

  func begin() {
    guard beating == nil else { return }
    last = Self.used()
    beating = Task.detached(priority: .high) { [weak self] in
      let clock = ContinuousClock()
      while !Task.isCancelled {
        let asked = clock.now
        await self?.beat(asked)
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  func end() {
    beating?.cancel()
    beating = nil
  }

  private func beat(_ asked: ContinuousClock.Instant) {
    let now = Self.used()
    // The main actor may run on any thread. Many short turns fit into the time for which the task
    // was asleep, so a turn was no longer than the wait and the sleep before it.
    if now.thread == last.thread {
      let wait = ContinuousClock.now - asked + .milliseconds(2)
      longest = max(longest, min(now.time - last.time, wait))
    }
    last = now
  }

  private static func used() -> Used {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Used(
      thread: UInt(bitPattern: ObjectIdentifier(Thread.current)),
      time: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }
}
