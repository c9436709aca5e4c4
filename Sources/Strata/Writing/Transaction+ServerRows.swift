internal import StrataSQLite

extension Transaction {
  /// Brings rows of the store to the server's rows, and keeps the edits that wait to be pushed.
  ///
  /// No delete rule runs, and nothing is validated: the server has done both. The outbox does not
  /// take the changes for edits.
  ///
  /// - Returns: the edits that wait and that conflict with the server's rows.
  /// - Complexity: O(*n*) rows are read and compared for *n* rows of the server and of the store
  ///   within the extents. Equal rows are not written.
  mutating func apply(
    _ pulled: [ServerRows], of tables: FollowedTables
  ) throws(StoreError) -> [Conflict] {
    var conflicts: [Conflict] = []
    var working = WorkingSet()
    var deleted: [TableID: [RecordKey]] = [:]
    var followed = FollowedRows(tables, connection, builder, historyLayout)
    for part in tables.sorted(pulled) {
      var rows = WorkingSet.Rows()
      let showsAll = !part.isRange || tables[part.table] == nil
      try forEachRow(of: part, &followed) { key, before, merged throws(StoreError) in
        if let entry = merged.entry { try OutboxTable.set(entry, part.table, key, connection) }
        if merged.isDone { try OutboxTable.set(nil, part.table, key, connection) }
        if let conflict = merged.conflict { conflicts.append(conflict) }
        if before != merged.row {
          rows.append(.init(key: key, before: before, after: merged.row))
          if merged.row == nil && part.rows[key] == nil && showsAll {
            deleted[part.table.id, default: []].append(key)
          }
        }
      }
      working.tables[part.table.id] = rows
    }
    try followed.removeRowsOfUnfollowed(from: &working)
    try removeNewLinks(of: deleted, tables, from: &working)
    if working.hasDeletions(where: { !model[$0].isJoin }) {
      try ValidatorTable.note(.pull, connection)
    }
    try write(&working, of: pulled)
    return conflicts
  }

  /// Returns those of the rows that ``apply(_:of:)`` would write.
  func differences(
    from pulled: [ServerRows], of tables: FollowedTables
  ) throws(StoreError) -> [ServerDifference] {
    var differences: [ServerDifference] = []
    var followed = FollowedRows(tables, connection, builder, historyLayout)
    for part in tables.sorted(pulled) {
      try forEachRow(of: part, &followed) { key, stored, merged in
        if stored != merged.row {
          differences.append(
            ServerDifference(table: part.table, key: key, stored: stored, expected: merged.row))
        }
      }
    }
    return differences
  }

  /// Removes the links that the server does not have yet, and that lead to a row that it has deleted.
  ///
  /// The server removes the other links of the row.
  private func removeNewLinks(
    of deleted: [TableID: [RecordKey]], _ tables: FollowedTables, from working: inout WorkingSet
  ) throws(StoreError) {
    for table in tables.tables where table.isJoin {
      guard try OutboxTable.hasEntries(of: table, connection) else { continue }
      for reference in table.references {
        for target in deleted[reference.target] ?? [] {
          let links = try connection.records(
            of: table, referringTo: target, in: reference.column, builder)
          for link in links {
            let key = link.key(Table.keyColumn)
            guard working.find(table.id, key) == nil,
              let entry = try OutboxTable.entry(table, key, connection), !entry.isKnown
            else { continue }
            try OutboxTable.set(nil, table, key, connection)
            working.add([(table.id, .init(key: key, before: link, after: nil))])
          }
        }
      }
    }
  }

  // MARK: - Unique values

  /// Writes the rows, and sets waiting edits aside that hold a unique value of another row.
  private mutating func write(
    _ working: inout WorkingSet, of pulled: [ServerRows]
  ) throws(StoreError) {
    while true {
      var rows = working
      do throws(StoreError) {
        return try connection.atomically { () throws(StoreError) in
          _ = try write(&rows, isPushed: false)
        }
      } catch {
        guard error.code == .uniquenessViolated, connection.isInTransaction else { throw error }
        guard let table = pulled.first(where: { $0.table.entity == error.entity })?.table,
          try makeRoom(error, in: table, &working, pulled)
        else { throw error }
      }
    }
  }

  /// Gives one of two rows with the same unique value the server's values.
  ///
  /// - Returns: false if both rows are the server's.
  private mutating func makeRoom(
    _ error: StoreError, in table: Table, _ working: inout WorkingSet, _ pulled: [ServerRows]
  ) throws(StoreError) -> Bool {
    for key in error.keys.reversed() {
      guard var entry = try OutboxTable.entry(table, key, connection), entry.mayBeSetAside else {
        continue
      }
      let stored = try connection.record(key, of: table, builder)
      guard let row = working.find(table.id, key)?.after ?? stored else { continue }
      let server = pulled.lazy.filter { $0.table === table }.compactMap { $0.rows[key] }.first
      let known = entry.isKnown ? entry.server { decode($0, of: table) } : nil
      entry.setAside(encode(row, of: table), because: error.message)
      try OutboxTable.set(entry, table, key, connection)
      working.set(server ?? known, over: stored, key, table.id)
      return true
    }
    // While all rows are compared, a row that was read later on the server may still be an older one.
    guard let key = error.keys.last, working.find(table.id, key) == nil,
      let stored = try connection.record(key, of: table, builder)
    else { return false }
    working.set(nil, over: stored, key, table.id)
    return true
  }

  /// The encoded form of the rows in outbox entries.
  var coding: EntryCoding { EntryCoding(layout: historyLayout, builder: builder) }

  func encode(_ row: Record, of table: Table) -> [UInt8] { coding.encode(row, of: table) }

  func decode(_ bytes: [UInt8], of table: Table) -> Record? { coding.decode(bytes, of: table) }

  // MARK: - Rows

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

  /// What becomes of a row that a server has or lacks.
  private struct MergedRow {
    /// The server's row with the edits that wait.
    let row: Record?
    /// The edits that wait from here on; nil for none.
    var entry: OutboxEntry?
    /// Whether edits have waited, and none does any more.
    var isDone = false
    var conflict: Conflict?
  }

  /// Calls `body` with each row of the server or of the store within an extent.
  private func forEachRow(
    of part: ServerRows, _ followed: inout FollowedRows,
    _ body: (RecordKey, _ stored: Record?, MergedRow) throws(StoreError) -> Void
  ) throws(StoreError) {
    let stored = try stored(part)
    let waits = try OutboxTable.hasEntries(of: part.table, connection)
    // A deletion that waits has neither of the two rows.
    let keys =
      if case .keys(let all) = part.extent { all } else {
        Set(stored.keys).union(part.rows.keys)
      }
    for key in keys.sorted() {
      let server = part.rows[key]
      let kept = try followed.kept(server, of: part.table)
      followed.note(kept != nil, key, of: part.table)
      guard waits, let entry = try OutboxTable.entry(part.table, key, connection) else {
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
    let rebased = entry.rebase(onto: server, local: local, in: table) {
      encode($0, of: table)
    } decode: {
      decode($0, of: table)
    }
    let conflict = rebased.conflict?.conflict(key, in: table)
    if rebased.isLeft { return MergedRow(row: rebased.row, entry: entry, conflict: conflict) }
    return MergedRow(row: kept, isDone: true, conflict: conflict)
  }
}

extension WorkingSet {
  /// Sets the final state of a row that may or may not be in the set.
  mutating func set(
    _ after: Record?, over before: Record?, _ key: RecordKey, _ table: TableID
  ) {
    if let position = tables[table]?.position(of: key) {
      tables[table]?.set(after, at: position)
    } else {
      tables[table, default: .init()].append(Row(key: key, before: before, after: after))
    }
  }
}
