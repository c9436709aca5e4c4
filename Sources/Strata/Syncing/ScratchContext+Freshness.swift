extension ScratchContext {
  /// Marks something as imported, in the transaction of the next save.
  ///
  /// If that save fails, the mark waits for the next one, like an edit; ``rollback()`` forgets it.
  ///
  /// - Precondition: the context is of `stack.scratch()`: the parent of any other one may discard
  ///   what was saved into it.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh(_ entry: CacheEntry) throws(StoreError) {
    guard isChildOfStore else {
      fatalError("markFresh is for contexts of stack.scratch(), not for children of others")
    }
    freshened.insert(try entry.identity(store.model))
  }

  /// Marks the result of a query as imported, in the transaction of the next save.
  ///
  /// - Precondition: the context is of `stack.scratch()`.
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  public func markFresh<E: Entity>(_ query: Query<E>) throws(StoreError) {
    try markFresh(.query(query))
  }
}
