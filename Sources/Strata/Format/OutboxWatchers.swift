/// The consumers of an outbox's counts.
final class OutboxWatchers: Sendable {
  private struct State: Sendable {
    var counts: OutboxCounts?
    /// The number of the newest counting that was reported.
    var number = 0
    var hasBegun = false
  }

  private let state = Lock(State())
  private let streams = NewestStreams<OutboxCounts>()

  var isWatched: Bool { !streams.isEmpty }

  /// Adds a consumer, which gets the known counts at once.
  ///
  /// - Returns: the consumer's stream, and whether the consumer is the first one ever.
  func add() -> (stream: AsyncStream<OutboxCounts>, isFirst: Bool) {
    state.withLock { state in
      defer { state.hasBegun = true }
      return (streams.add(state.counts), !state.hasBegun)
    }
  }

  /// Sends the counts to every consumer if they have changed.
  ///
  /// - Parameter number: the number of the counting; countings are numbered when they begin. The
  ///   counts are ignored if a later counting has been reported.
  func yield(_ counts: OutboxCounts, _ number: Int) {
    state.withLock { state in
      if number < state.number { return }
      state.number = number
      if state.counts == counts { return }
      state.counts = counts
      streams.yield(counts)
    }
  }

  func finish() { streams.finish() }
}
