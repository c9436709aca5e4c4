internal import StrataSQLite

/// The rows of a store with an outbox that no server has sent. An import deletes none of them because
/// its feed lacks it.
struct LocalRows {
  private let connection: Connection
  private let model: Model

  /// Creates the look-up; nil if the store has no outbox. Such a store is a copy of its feeds.
  init?(_ connection: Connection, _ model: Model) throws(StoreError) {
    guard try OutboxTable.ignoredAuthors(connection) != nil else { return nil }
    self.connection = connection
    self.model = model
  }

  func contains(_ key: RecordKey, of table: Table) throws(StoreError) -> Bool {
    try LocalRowsTable.contains(key, of: table, connection)
  }

  /// Removes the deletions of local rows from a layer of known changes.
  func keep(_ layer: inout Layer) throws(StoreError) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        guard case .known(let change) = change, change.after == nil,
          try contains(key, of: model[table])
        else { continue }
        layer[table, key] = nil
      }
    }
  }

  /// Returns whether the changes of a deletion would delete a local row, too.
  func areHit(by working: WorkingSet) throws(StoreError) -> Bool {
    for (table, rows) in working.tables {
      for row in rows.all where row.before != nil && row.after == nil {
        if try contains(row.key, of: model[table]) { return true }
      }
    }
    return false
  }
}
