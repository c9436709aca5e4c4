/// How long a test waits for something that happens elsewhere.
///
/// Among a thousand other tests, a task may wait half a minute for its turn. So when the time is
/// over, everything that is ready to run runs first, many times over: a quarter of a second in a
/// quiet process, and as long as its tasks wait for each other in a busy one.
struct Patience: Sendable {
  private let limit: Duration
  private let clock: any Clock<Duration>
  /// How often what is ready to run may run when the time is over, and for how long at most.
  private static let lastTurns = (count: 200, limit: Duration.seconds(300))

  init(_ limit: Duration, _ clock: any Clock<Duration>) {
    self.limit = limit
    self.clock = clock
  }

  /// Looks until something is as wanted, each time it may have changed.
  ///
  /// - Parameter look: is given what to call, once and from any thread, when it should look again.
  /// - Returns: false if patience came to its end, or the task was cancelled.
  func wait(_ look: (_ changed: @escaping @Sendable () -> Void) -> Bool) async -> Bool {
    let (changes, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    if look({ signal.yield() }) { return true }
    let timer = Task { [clock, limit] in
      try? await clock.sleep(for: limit)
      let turns = Task {
        for _ in 0..<Self.lastTurns.count where !Task.isCancelled {
          await MainActor.run {}
          // Threads that were put off have their turn, too.
          try? await Task.sleep(for: .milliseconds(1))
        }
        signal.finish()
      }
      // The main actor may be what hangs.
      try? await Task.sleep(for: Self.lastTurns.limit)
      turns.cancel()
      signal.finish()
    }
    defer { timer.cancel() }
    for await _ in changes where look({ signal.yield() }) { return true }
    return look({})
  }
}
