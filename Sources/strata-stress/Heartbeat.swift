import Foundation

/// Measures how long the main actor is held.
///
/// It asks for a turn of the main actor every millisecond. It notes the wait for the turn, and the
/// processor time of the main thread since the turn before.
///
/// On a busy machine the wait does not tell who delayed the turn. The processor time of the main
/// thread belongs to that thread alone.
enum Heartbeat {
  struct Beats: Sendable {
    /// The wait for each turn, sorted.
    let waits: [Duration]
    /// The processor time of the main thread between two turns, sorted. Turns on two threads have
    /// none.
    let held: [Duration]

    init(waits: [Duration], held: [Duration]) {
      self.waits = waits.sorted()
      self.held = held.sorted()
    }
  }

  /// Returns the beats while `body` runs.
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
        // Many short turns fit into the time for which this task was not woken. So the main actor
        // was held for no longer than the wait and the sleep before it.
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

  /// Returns the thread of the main actor, and the processor time that it has used.
  ///
  /// On Linux the main actor runs on any thread, and changes it from time to time.
  @MainActor
  private static func computed() -> (thread: UInt, time: Duration) {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    let thread = UInt(bitPattern: ObjectIdentifier(Thread.current))
    return (thread, .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec))
  }
}

extension [Duration] {
  /// Returns the value that a share of the sorted list does not exceed.
  func quantile(_ part: Double) -> Duration {
    isEmpty ? .zero : self[Int(Double(count - 1) * part)]
  }
}
