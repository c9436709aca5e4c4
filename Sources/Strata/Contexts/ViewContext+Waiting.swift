extension ViewContext {
  /// Returns when the context shows a commit.
  ///
  /// While the stack is suspended this waits for it to be resumed.
  ///
  /// - Throws: ``StoreError`` with code `closed` or `cancelled`, and `schemaChanged` if another
  ///   program has changed the tables: the context will not show anything newer.
  public func merged(_ commit: Int64) async throws(StoreError) {
    while try lacks(commit) {
      try await waiters.waitUnlessCancelled(for: .turn(reaching: commit)) { mayReach(commit) }
    }
  }

  /// Returns when the context shows a commit that the caller has made, or never will: neither
  /// cancelling the task nor closing the stack must look as if it had not been made.
  package func mergedOwn(_ commit: Int64) async {
    while mayReach(commit) {
      await waiters.wait(for: .turn(reaching: commit)) { mayReach(commit) }
    }
  }

  /// Whether a commit is not shown yet.
  ///
  /// - Throws: why it never will be.
  private func lacks(_ commit: Int64) throws(StoreError) -> Bool {
    if snapshot.commit >= commit { return false }
    if isClosed { throw .closed }
    if let failure { throw failure }
    return true
  }

  /// Whether a later turn may show a commit that this one does not.
  private func mayReach(_ commit: Int64) -> Bool {
    snapshot.commit < commit && !isClosed && failure == nil
  }

  /// Returns when the context has a state that can be read: at once, unless the stack is suspended.
  func pinned() async throws(StoreError) {
    while snapshot.isLost {
      if isClosed { throw .closed }
      if let failure { throw failure }
      try await waiters.waitUnlessCancelled(for: .turn(reaching: 0)) {
        snapshot.isLost && !isClosed && failure == nil
      }
    }
  }

  /// Reads what the context shows; what a suspension stops is read again after it.
  func reading<R>(
    _ body: (LayeredFetch) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    while true {
      let fetch = try await caughtUp()
      do throws(StoreError) { return try await body(fetch) } catch {
        guard error.code == .suspended else { throw error }
      }
    }
  }
}
