internal import StrataSQLite

/// The recorder of a commit's edits for the outbox, inside the commit's transaction.
struct OutboxRecorder {
  let connection: Connection
  let layout: HistoryLayout
  /// The number that the commit will have.
  let commit: Int64

  func record(_ changes: ContiguousArray<RowChange>, of table: Table) throws(SQLiteError) {
    var encoder = HistoryEncoder(layout)
    for row in changes {
      let encode: (Record) -> [UInt8] = { encoder.encode($0, of: table.id) }
      var entry: OutboxEntry?
      if var known = try OutboxTable.entry(table, row.key, connection) {
        entry = known.edit(row.change, commit: commit, encode: encode) ? known : nil
      } else {
        entry = OutboxEntry(row.change, commit: commit, encode: encode)
      }
      try OutboxTable.set(entry, table, row.key, connection)
    }
  }
}
