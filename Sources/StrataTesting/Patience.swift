/// The time that a test waits for an event elsewhere.
///
/// Among a thousand other tests, a task may wait half a minute for its turn. So when the time is
/// over, all tasks that are ready to run are allowed to run first, many times. That takes a quarter
/// of a second in a quiet process, and as long as its tasks wait for each other in a busy process.
struct Patience: Sendable {
  private let limit: Duration
  private let clock: any Clock<Duration>
  /// The number of turns that ready tasks get when the time is over, and the limit of their
  /// duration.
  private static let lastTurns = (count: 200, limit: Duration.seconds(300))

  init(_ limit: Duration, _ clock: any Clock<Duration>) {
    self.limit = limit
    self.clock = clock
  }

  /// Calls `look` whenever the state may have changed, until it returns true.
  ///
  /// - Parameter look: checks the state. It is given a closure to call, once and from any thread,
  ///   when the state may have changed.
  /// - Returns: false if the time is over, or the task was cancelled.
  func wait(_ look: (_ changed: @escaping @Sendable () -> Void) -> Bool) async -> Bool {
    let (changes, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if look({ signal.yield() }) { return true }
    let timer = Task { [clock, limit] in
      try? await clock.sleep(for: limit)
      let turns = Task {
        for _ in 0..<Self.lastTurns.count where !Task.isCancelled {
          await MainActor.run {}
          // Threads that were postponed also get a turn.
          try? await Task.sleep(for: .milliseconds(1))
        }
        signal.finish()
      }
      // The main actor may be blocked.
      try? await Task.sleep(for: Self.lastTurns.limit)
      turns.cancel()
      signal.finish()
    }
    defer { timer.cancel() }
    for await _ in changes where look({ signal.yield() }) { return true }
    return look({})
  }
}
