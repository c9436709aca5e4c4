extension ViewContext {
  /// Returns when the context shows a commit.
  ///
  /// While the stack is suspended, this waits for the resumption.
  ///
  /// - Throws: ``StoreError`` with code `closed` or `cancelled`, and `schemaChanged` if another
  ///   program has changed the tables: the context then stays at its commit for good.
  public func waitUntilMerged(_ commit: Int64) async throws { try await catchUp(to: commit) }

  /// Returns when the context shows a commit, as ``waitUntilMerged(_:)`` does.
  func catchUp(to commit: Int64) async throws(StoreError) {
    while try lacks(commit) {
      store.writer.endMergePause()
      try await waiters.waitUnlessCancelled(for: .turn(reaching: commit)) { mayReach(commit) }
    }
  }

  /// Returns when the context shows a commit of the caller, or when it never will.
  ///
  /// It throws nothing: cancelling the task or closing the stack must not look as if the commit had
  /// not been made.
  func mergedOwn(_ commit: Int64) async {
    if mayReach(commit) { store.writer.endMergePause() }
    await waiters.wait(for: .turn(reaching: commit)) { mayReach(commit) }
  }

  /// Returns whether a commit is not shown yet.
  ///
  /// - Throws: the reason why it never will be.
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

  /// Returns when the context has a readable snapshot: at once, unless the stack is suspended.
  func pinned() async throws(StoreError) {
    while snapshot.isLost {
      if isClosed { throw .closed }
      if let failure { throw failure }
      try await waiters.waitUnlessCancelled(for: .turn(reaching: 0)) {
        snapshot.isLost && !isClosed && failure == nil
      }
    }
  }

  /// Reads the rows that the context shows; a read that a suspension stops runs again after it.
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
