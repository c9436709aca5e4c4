/// The consumers of a value that changes; a slow consumer gets only the newest values.
package final class NewestStreams<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var continuations: [Int: AsyncStream<Value>.Continuation] = [:]
    var lastID = 0
    var isFinished = false
  }

  private let state = Lock(State())
  private let limit: Int

  /// - Parameter limit: the most values that wait for a consumer.
  package init(limit: Int = 1) { self.limit = limit }

  deinit { finish() }

  var isEmpty: Bool { state.withLock { $0.continuations.isEmpty } }

  /// Returns the stream of another consumer, which gets `first` at once.
  ///
  /// - Parameter source: an object to keep alive until the stream ends or is released, such as the one
  ///   that yields the values.
  package func add(
    _ first: Value?, keeping source: (any AnyObject & Sendable)? = nil
  ) -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(limit))
    if let first { continuation.yield(first) }
    let (id, isFinished) = state.withLock { state in
      state.lastID += 1
      if !state.isFinished { state.continuations[state.lastID] = continuation }
      return (state.lastID, state.isFinished)
    }
    // An ended stream drops this closure, and with it the source.
    continuation.onTermination = { [weak self, source] _ in
      withExtendedLifetime(source) { self?.remove(id) }
    }
    if isFinished { continuation.finish() }
    return stream
  }

  private func remove(_ id: Int) {
    // Released after the lock: with the last reference to a stream, its source may go.
    _ = state.withLock { $0.continuations.removeValue(forKey: id) }
  }

  package func yield(_ value: Value) {
    for continuation in state.withLock({ $0.continuations }).values { continuation.yield(value) }
  }

  /// Ends all streams, and the streams of later consumers.
  package func finish() {
    let continuations = state.withLock { state in
      defer { state.continuations = [:] }
      state.isFinished = true
      return state.continuations
    }
    for continuation in continuations.values { continuation.finish() }
  }
}
