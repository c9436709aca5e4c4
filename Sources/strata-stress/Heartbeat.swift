import Foundation

/// Measures how long the main actor is held: it asks for a turn every millisecond, and notes how
/// long that took to come, and what the main thread computed since the turn before.
///
/// On a machine that does other things, too, waiting says little about who was in the way; the
/// time that the main thread itself has computed is nobody else's.
enum Heartbeat {
  struct Beats: Sendable {
    /// How long each turn took to come.
    let waits: [Duration]
    /// What the main thread computed between two turns.
    let held: [Duration]

    init(waits: [Duration], held: [Duration]) {
      self.waits = waits.sorted()
      self.held = held.sorted()
    }
  }

  /// The beats while `body` runs.
  @concurrent
  static func beats(during body: @escaping @Sendable () async throws -> Void) async throws -> Beats
  {
    let heart = Task.detached(priority: .high) {
      var waits: [Duration] = []
      var held: [Duration] = []
      let clock = ContinuousClock()
      var last = await computed()
      while !Task.isCancelled {
        let asked = clock.now
        let now = await computed()
        let wait = clock.now - asked
        waits.append(wait)
        // Many short turns fit into the time for which this task was not woken; what holds somebody
        // up is what they wait for.
        if now.thread == last.thread {
          held.append(min(now.time - last.time, wait + .milliseconds(1)))
        }
        last = now
        try? await Task.sleep(for: .milliseconds(1))
      }
      return Beats(waits: waits, held: held)
    }
    defer { heart.cancel() }
    try await body()
    heart.cancel()
    return await heart.value
  }

  /// The processor time that the main actor's thread has used. On Linux that is any thread, another
  /// one from time to time.
  @MainActor
  private static func computed() -> (thread: UInt, time: Duration) {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    let thread = UInt(bitPattern: ObjectIdentifier(Thread.current))
    return (thread, .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }
}

extension [Duration] {
  /// The value that a part of a sorted list does not exceed.
  func quantile(_ part: Double) -> Duration {
    isEmpty ? .zero : self[Int(Double(count - 1) * part)]
  }
}
