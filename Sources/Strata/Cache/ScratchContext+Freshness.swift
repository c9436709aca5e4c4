extension ScratchContext {
  /// Marks something as imported, in the transaction of the next save.
  ///
  /// If that save fails, the mark waits for the next one, like an edit; `discard` forgets it.
  ///
  /// - Precondition: the context is not a child of the view context, whose edits may be discarded
  ///   after they were saved into it.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh(_ entry: CacheEntry) throws(StoreError) {
    guard isChildOfStore else {
      fatalError("markFresh is for contexts of stack.scratch(), not for those of view.scratch()")
    }
    freshened.insert(try entry.identity(store.model))
  }

  /// Marks the result of a query as imported, in the transaction of the next save.
  public func markFresh<E: Entity>(_ query: Query<E>) throws(StoreError) {
    try markFresh(.query(query))
  }

  /// Marks as imported what batches of this context have brought, behind them in the queue.
  package nonisolated(nonsending) func markImported(
    _ entries: [CacheEntry]
  ) async throws(StoreError) -> Int64 {
    guard isChildOfStore else {
      fatalError("an import into a child of the view context is not committed: freshen nothing")
    }
    let identities = try Set(entries, store.model)
    return try await store.writer.submit(.bulk, context: id) { writer throws(StoreError) in
      try writer.saveReporting(Layer(), policy: .error, marking: identities).commit
    }
  }
}
