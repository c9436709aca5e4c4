/// The consumers of an outbox's counts.
final class OutboxWatchers: Sendable {
  private struct State: Sendable {
    var counts: OutboxCounts?
    /// The number of the newest counting that was reported.
    var number = 0
    var hasBegun = false
    var isFinished = false
    var continuations: [Int: AsyncStream<OutboxCounts>.Continuation] = [:]
    var lastID = 0
  }

  private let state = Lock(State())

  var isWatched: Bool { state.withLock { !$0.continuations.isEmpty } }

  /// Adds a consumer, which gets the known counts at once.
  ///
  /// - Returns: the consumer's stream, and whether the consumer is the first one ever.
  func add() -> (stream: AsyncStream<OutboxCounts>, isFirst: Bool) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: OutboxCounts.self, bufferingPolicy: .bufferingNewest(1))
    let (id, isFirst, isFinished) = state.withLock { state in
      state.lastID += 1
      let isFirst = !state.hasBegun
      state.hasBegun = true
      if !state.isFinished { state.continuations[state.lastID] = continuation }
      if let counts = state.counts { continuation.yield(counts) }
      return (state.lastID, isFirst, state.isFinished)
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.continuations[id] = nil }
    }
    if isFinished { continuation.finish() }
    return (stream, isFirst)
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
      for continuation in state.continuations.values { continuation.yield(counts) }
    }
  }

  func finish() {
    let continuations = state.withLock { state in
      defer { state.continuations = [:] }
      state.isFinished = true
      return state.continuations
    }
    for continuation in continuations.values { continuation.finish() }
  }
}
