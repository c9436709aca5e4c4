extension ScratchContext {
  /// Marks an entry as imported, in the transaction of the next save.
  ///
  /// If that save fails, the mark waits for the next save, like an edit. ``rollback()`` forgets the
  /// mark.
  ///
  /// - Precondition: the context is made by `stack.scratch()`. The parent of any other context may
  ///   discard the edits that were saved into it.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh(_ entry: CacheEntry) throws(StoreError) {
    guard isChildOfStore else {
      fatalError("markFresh is for contexts of stack.scratch(), not for children of others")
    }
    freshened.insert(try entry.identity(store.model))
  }

  /// Marks the result of a query as imported, in the transaction of the next save.
  ///
  /// - Precondition: the context is made by `stack.scratch()`.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh<E: Entity>(_ query: Query<E>) throws(StoreError) {
    try markFresh(.query(query))
  }
}
