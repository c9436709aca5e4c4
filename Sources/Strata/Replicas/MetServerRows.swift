internal import StrataSQLite

/// The rows of a server as they meet the store's rows and the edits that wait.
struct MetServerRows {
  /// The rows that the store follows.
  var followed: FollowedRows
  private let store: StoreAccess

  init(_ tables: FollowedTables, _ store: StoreAccess) {
    followed = FollowedRows(tables, store)
    self.store = store
  }

  /// Returns the rows that are not what the server's rows and the waiting edits make of them.
  ///
  /// - Complexity: O(*n*) rows are read and compared.
  mutating func differences(
    from pulled: [ServerRows]
  ) throws(StoreError) -> [ServerDifference] {
    var differences: [ServerDifference] = []
    for part in followed.tables.sorted(pulled) {
      try forEach(of: part) { key, stored, merged in
        if stored != merged.row {
          differences.append(
            ServerDifference(table: part.table, key: key, stored: stored, expected: merged.row))
        }
      }
    }
    return differences
  }

  /// Returns the store's rows within the extent of a server's rows, by key.
  private func stored(_ part: ServerRows) throws(StoreError) -> [RecordKey: Record] {
    var stored: [RecordKey: Record] = [:]
    switch part.extent {
    case .keys(let keys):
      var cursor = try StoredRows(store.connection, part.table, expected: keys.count)
      defer { cursor.reset() }
      for key in keys.sorted() {
        stored[key] = try cursor.row(key).map { row throws(StoreError) in
          try store.builder.record(row, of: part.table)
        }
      }
    case .range(let after, let through):
      let statement = try store.connection.prepared(part.table.sql.scanFromKey)
      defer { statement.reset() }
      // The least integer sorts before every other key.
      (after?.cell ?? .integer(.min)).bind(to: statement, at: 1)
      while try statement.next() {
        let key = RecordKey(statement, Int32(Table.keyColumn))
        if key == after { continue }
        if let through, through < key { break }
        stored[key] = try store.builder.record(statement, of: part.table)
      }
    }
    return stored
  }

  /// The outcome for a row that a server has or lacks.
  struct MergedRow {
    /// The server's row with the edits that wait.
    let row: Record?
    /// The edits that wait from here on; nil for none.
    var entry: OutboxEntry?
    /// Whether edits have waited, and none does any more.
    var isDone = false
    var conflict: Conflict?
  }

  /// Calls `body` with each row of the server or of the store within an extent.
  mutating func forEach(
    of part: ServerRows,
    _ body: (RecordKey, _ stored: Record?, MergedRow) throws(StoreError) -> Void
  ) throws(StoreError) {
    let stored = try stored(part)
    let waits = try OutboxTable.hasEntries(of: part.table, store.connection)
    // A deletion that waits has neither of the two rows.
    let keys =
      if case .keys(let all) = part.extent { all } else {
        Set(stored.keys).union(part.rows.keys).union(part.flaws.keys)
      }
    for key in keys.sorted() {
      if part.flaws[key] != nil {
        // The edits of a row that the store cannot have wait for its next version.
        if waits, try OutboxTable.entry(part.table, key, store.connection) != nil { continue }
        followed.note(false, key, of: part.table)
        try body(key, stored[key], MergedRow(row: nil))
        continue
      }
      let server = part.rows[key]
      let kept = try followed.kept(server, of: part.table)
      followed.note(kept != nil, key, of: part.table)
      guard waits, let entry = try OutboxTable.entry(part.table, key, store.connection) else {
        try body(key, stored[key], MergedRow(row: kept))
        continue
      }
      // Whether the server has the row, only a later pull can tell.
      if server == nil && part.isRange && followed.tables[part.table] != nil { continue }
      try body(key, stored[key], merged(entry, key, part, kept: kept, local: stored[key]))
    }
  }

  /// Moves the edits of a row that wait onto the server's row.
  private func merged(
    _ waiting: OutboxEntry, _ key: RecordKey, _ part: ServerRows, kept: Record?, local: Record?
  ) -> MergedRow {
    let (table, server) = (part.table, part.rows[key])
    var entry = waiting
    let rebased = entry.rebase(onto: server, local: local, in: table, store.coding(of: table))
    let conflict = rebased.conflict?.conflict(key, in: table)
    if rebased.isLeft { return MergedRow(row: rebased.row, entry: entry, conflict: conflict) }
    return MergedRow(row: kept, isDone: true, conflict: conflict)
  }
}
