extension ViewContext {
  /// Returns when something happens, or the stack closes: whoever calls this looks again.
  func wait(for event: Waiters.Event) async {
    await withUnsafeContinuation { waiters.add(event, $0) }
  }

  /// The same, as long as the task is not cancelled.
  func waitUnlessCancelled(for event: Waiters.Event) async throws(StoreError) {
    let id = waiters.nextID
    await withTaskCancellationHandler {
      await StoreDeadline.awaiting {
        await wait(for: event)
      } orElse: {
        Task { @MainActor in self.waiters.resume(id) }
      }
    } onCancel: {
      // In a later turn, also if the task is cancelled already.
      Task { @MainActor in waiters.resume(id) }
    }
    if Task.isCancelled { throw .cancelled }
    try StoreDeadline.check()
  }

  /// Returns when the context shows a commit.
  ///
  /// While the stack is suspended this waits for it to be resumed.
  ///
  /// - Throws: ``StoreError`` with code `closed` or `cancelled`, and `schemaChanged` if another program
  ///   has changed the tables: the context will not show anything newer.
  public func merged(_ commit: Int64) async throws(StoreError) {
    while snapshot.commit < commit {
      if isClosed { throw .closed }
      if let failure { throw failure }
      try await waitUnlessCancelled(for: .turn(reaching: commit))
    }
  }

  /// Returns when the context shows a commit that the caller has made: cancelling the task must not
  /// look as if it had not been made.
  package func mergedOwn(_ commit: Int64) async throws(StoreError) {
    while snapshot.commit < commit {
      if isClosed { throw .closed }
      if let failure { throw failure }
      await wait(for: .turn(reaching: commit))
    }
  }

  /// Returns when the context has a state that can be read: at once, unless the stack is suspended.
  func pinned() async throws(StoreError) {
    while snapshot.isLost {
      if isClosed { throw .closed }
      if let failure { throw failure }
      try await waitUnlessCancelled(for: .turn(reaching: 0))
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
