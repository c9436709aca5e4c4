internal import Strata

extension Replica {
  /// Returns once the store has everything that the server had committed before the call.
  ///
  /// A replica that is offline tries at once to reach the server.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  public func caughtUp() async throws(ReplicaError) {
    // The pull that is under way may have begun before the call.
    thoroughPulls = 2
    for _ in 0..<2 { try await nextStep() }
  }

  /// Returns once the server has everything that was committed here before the call, and a pull has
  /// confirmed it.
  ///
  /// Edits that the server refused do not count, nor those that depend on them. A replica that is
  /// offline tries at once to reach the server.
  ///
  /// - Throws: ``ReplicaError`` with code `closed`, or why the server cannot be reached or followed.
  public func settled() async throws(ReplicaError) {
    let awaited = lookups + 1
    while settledLookups < awaited {
      mayHaveEdits = mayHaveEdits || lookups < awaited
      try await nextStep()
    }
  }

  func nextStep() async throws(ReplicaError) {
    if isClosed { throw .closed }
    connection?.wake()
    resting?.cancel()
    let waiter = DirectContinuation<Void>()
    waiters.append(waiter)
    await waiter.value
    if isClosed { throw .closed }
    if case .offline(_, let error) = monitor.state.phase { throw error }
  }

  func resumeWaiters() {
    let all = waiters
    waiters = []
    for waiter in all { waiter.resume() }
  }
}
