internal import StrataSQLite

extension Transaction {
  /// Brings rows of the store to the server's rows, and keeps the edits that wait to be pushed.
  ///
  /// No delete rule runs, and nothing is validated: the server has done both. The outbox does not
  /// take the changes for edits.
  ///
  /// - Complexity: O(*n*) rows are read and compared for *n* rows of the server and of the store
  ///   within the extents. Equal rows are not written.
  mutating func apply(_ pulled: [ServerRows]) throws(StoreError) {
    var working = WorkingSet()
    for part in pulled {
      var rows = WorkingSet.Rows()
      let stored = try stored(part)
      let waits = try OutboxTable.hasEntries(of: part.table, connection)
      // A deletion that waits has neither of the two rows.
      let keys =
        if case .keys(let all) = part.extent { all } else {
          Set(stored.keys).union(part.rows.keys)
        }
      for key in keys.sorted() {
        let (before, server) = (stored[key], part.rows[key])
        let after =
          waits ? try rebase(key, in: part.table, onto: server, local: before) : server
        if before != after { rows.append(.init(key: key, before: before, after: after)) }
      }
      working.tables[part.table.id] = rows
    }
    try write(&working, isPushed: false)
  }

  /// Returns the store's rows within the extent of a server's rows, by key.
  private func stored(_ part: ServerRows) throws(StoreError) -> [RecordKey: Record] {
    var stored: [RecordKey: Record] = [:]
    switch part.extent {
    case .keys(let keys):
      var cursor = try StoredRows(connection, part.table, expected: keys.count)
      defer { cursor.reset() }
      for key in keys.sorted() {
        stored[key] = try cursor.row(key).map { row throws(StoreError) in
          try builder.record(row, of: part.table)
        }
      }
    case .range(let after, let through):
      let statement = try connection.prepared(part.table.sql.scanFromKey)
      defer { statement.reset() }
      // The least integer sorts before every other key.
      (after?.cell ?? .integer(.min)).bind(to: statement, at: 1)
      while try statement.next() {
        let key = RecordKey(statement, Int32(Table.keyColumn))
        if key == after { continue }
        if let through, through < key { break }
        stored[key] = try builder.record(statement, of: part.table)
      }
    }
    return stored
  }

  /// Moves the edits of a row that wait onto the server's row.
  ///
  /// - Returns: the server's row with the edits.
  private func rebase(
    _ key: RecordKey, in table: Table, onto server: Record?, local: Record?
  ) throws(StoreError) -> Record? {
    guard var entry = try OutboxTable.entry(table, key, connection) else { return server }
    var encoder = HistoryEncoder(historyLayout)
    let rebased = entry.rebase(onto: server, local: local, in: table) {
      encoder.encode($0, of: table.id)
    } decode: {
      HistoryDecoder.record($0, of: table, historyLayout, builder)
    }
    try OutboxTable.set(rebased.isLeft ? entry : nil, table, key, connection)
    return rebased.row
  }
}
