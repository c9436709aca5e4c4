internal import StrataSQLite

/// The rows of a store with an outbox that no server has sent. An import deletes none of them because
/// its feed lacks it.
struct LocalRows {
  private let store: StoreAccess

  /// Creates the look-up; nil if the store has no outbox. Such a store is a copy of its feeds.
  init?(_ store: StoreAccess) throws(StoreError) {
    guard try OutboxTable.ignoredAuthors(store.connection) != nil else { return nil }
    self.store = store
  }

  func contains(_ key: RecordKey, of table: Table) throws(StoreError) -> Bool {
    try LocalRowsTable.contains(key, of: table, store.connection)
  }

  /// Removes the deletions of local rows from a layer of known changes.
  func keep(_ layer: inout Layer) throws(StoreError) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        guard case .known(let change) = change, change.after == nil,
          try contains(key, of: store.model[table])
        else { continue }
        layer[table, key] = nil
      }
    }
  }

  /// Removes the deletions of local rows from the layer of an import.
  ///
  /// The server's word is about another row with the key. An edit of the local row makes it an insertion.
  ///
  /// - Returns: the number of these rows.
  func keep(
    _ layer: inout Layer, in transaction: inout Transaction
  ) throws(StoreError) -> Int {
    var count = 0
    for (id, changes) in layer.tables where !store.model[id].isJoin {
      let table = store.model[id]
      for (key, change) in changes {
        guard change.applied(to: nil) == nil, try contains(key, of: table),
          try store.connection.hasRow(key, of: table)
        else { continue }
        try transaction.makeInsertion(key, of: table)
        layer[id, key] = nil
        count += 1
      }
    }
    return count
  }

  /// Returns whether the changes of a deletion would delete a local row, too.
  func areHit(by working: WorkingSet) throws(StoreError) -> Bool {
    for (table, rows) in working.tables {
      for row in rows.all where row.before != nil && row.after == nil {
        if try contains(row.key, of: store.model[table]) { return true }
      }
    }
    return false
  }
}
