extension ScratchContext {
  /// Marks an entry as imported, in the transaction of the next save.
  ///
  /// If that save fails, the mark waits for the next save, like an edit. ``rollback()`` forgets the
  /// mark.
  ///
  /// - Precondition: the context is made by `stack.makeScratch()`. The parent of any other context may
  ///   discard the edits that were saved into it.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh(_ entry: CacheEntry) throws {
    guard isChildOfStore else {
      fatalError("markFresh is for contexts of stack.makeScratch(), not for children of others")
    }
    freshened.insert(try entry.identity(store.model))
  }

  /// Marks the result of a query as imported, in the transaction of the next save.
  ///
  /// - Precondition: the context is made by `stack.makeScratch()`.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh<E: Entity>(_ query: Query<E>) throws {
    try markFresh(.query(query))
  }
}
