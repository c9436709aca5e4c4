internal import StrataSQLite

/// The recorder of a commit's edits for the outbox, inside the commit's transaction.
struct OutboxRecorder: ChangeRecorder {
  let store: StoreAccess
  /// The number that the commit will have.
  let commit: Int64
  /// The tables that follow a server; nil if the outbox takes edits of all tables.
  let tables: ReplicatedTables?

  func record(_ changes: ContiguousArray<RowChange>, of table: Table) throws(StoreError) {
    if let tables, !tables.takesEdits(of: table.name) { return }
    let (connection, coding) = (store.connection, store.coding(of: table))
    let mayBeLocal = changes.contains { $0.change.before != nil }
    let hasLocalRows = mayBeLocal ? try LocalRowsTable.hasRows(of: table, connection) : false
    for row in changes {
      var entry: OutboxEntry?
      if var known = try OutboxTable.entry(table, row.key, connection) {
        entry = known.edit(row.change, commit: commit, coding) ? known : nil
      } else if hasLocalRows, row.change.before != nil,
        try LocalRowsTable.contains(row.key, of: table, connection)
      {
        // The server has never had the row, so an edit makes it, and a deletion needs no request.
        try LocalRowsTable.remove(row.key, of: table, connection)
        guard let after = row.change.after else { continue }
        entry = OutboxEntry(Change(before: nil, after: after), commit: commit, coding)
      } else {
        entry = OutboxEntry(row.change, commit: commit, coding)
      }
      try OutboxTable.set(entry, table, row.key, connection)
    }
  }
}
