internal import StrataSQLite

extension Transaction {
  /// Brings rows of the store to the server's rows, and keeps the edits that wait to be pushed.
  ///
  /// No delete rule runs, and nothing is validated: the server has done both. The outbox does not
  /// take the changes for edits.
  ///
  /// - Parameter marked: the rows in which edits of other stores have replaced values in a conflict.
  /// - Complexity: O(*n*) rows are read and compared for *n* rows of the server and of the store
  ///   within the extents. Equal rows are not written.
  mutating func apply(
    _ pulled: [ServerRows], of tables: FollowedTables, marked: Set<PushOrder.Row>,
    _ applied: inout AppliedRows
  ) throws(StoreError) {
    var working = WorkingSet()
    var deleted: [TableID: [RecordKey]] = [:]
    var met = MetServerRows(tables, store)
    for part in tables.sorted(pulled) {
      var rows = WorkingSet.Rows()
      let showsAll = !part.isRange || tables[part.table] == nil
      try met.forEach(of: part) { key, before, merged throws(StoreError) in
        if let entry = merged.entry { try OutboxTable.set(entry, part.table, key, connection) }
        if merged.isDone { try OutboxTable.set(nil, part.table, key, connection) }
        if let conflict = merged.conflict { applied.conflicts.append(conflict) }
        if before != merged.row {
          if before != nil, merged.entry == nil, merged.conflict == nil,
            marked.contains(.init(table: part.table.id, key: key))
          {
            applied.replaced.append(
              ServerDifference(table: part.table, key: key, stored: before, expected: merged.row))
          }
          rows.append(.init(key: key, before: before, after: merged.row))
          let isGone = part.rows[key] == nil && part.flaws[key] == nil
          if merged.row == nil && isGone && showsAll {
            deleted[part.table.id, default: []].append(key)
          }
        }
      }
      working.tables[part.table.id] = rows
      try noteWithheld(part)
    }
    try met.followed.removeRowsOfUnfollowed(from: &working)
    try removeNewLinks(of: deleted, tables, from: &working)
    if working.hasDeletions(where: { !model[$0].isJoin }) {
      try ValidatorTable.note(.pull, connection)
    }
    try write(&working, of: pulled)
  }

  /// The number of staged rows of a table past which its changes are reported without the rows.
  private static let listedRows = 50_000

  /// Applies the staged rows, slice by slice.
  ///
  /// - Complexity: O(*n*) rows are read and compared; in memory, the rows of one slice.
  mutating func applyStage(
    of tables: FollowedTables, marked: Set<PushOrder.Row>, _ applied: inout AppliedRows
  ) throws(StoreError) {
    for table in tables.tables {
      let parts = try StagedRows.parts(of: table, connection)
      if parts.reduce(0, { $0 + $1.count }) > Self.listedRows { collapseChanges(of: table) }
      for part in parts {
        let rows = try StagedRows.rows(part.number, of: table, connection)
        try apply([rows], of: tables, marked: marked, &applied)
      }
      // A later slice may have taken the unique value away from the row that had it.
      for entry in try WithheldTable.rows(of: table, connection) where entry.isDuplicate {
        guard let row = try StagedRows.row(entry.key, of: table, connection) else { continue }
        try apply(
          [ServerRows(table, .keys([entry.key]), [entry.key: row])], of: tables, marked: marked,
          &applied)
      }
    }
    try StagedRows.clear(connection)
  }

  /// Notes the rows that the store cannot have.
  private mutating func noteWithheld(_ part: ServerRows) throws(StoreError) {
    if try WithheldTable.hasRows(of: part.table, connection) {
      switch part.extent {
      case .keys(let keys):
        for key in keys { try WithheldTable.remove(key, of: part.table, connection) }
      case .range(let after, let through):
        try WithheldTable.remove(after: after, through: through, of: part.table, connection)
      }
    }
    for (key, flaw) in part.flaws {
      try WithheldTable.set(flaw, isDuplicate: false, part.table, key, connection)
    }
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
          let links = try store.records(
            of: table, referringTo: target, in: reference.column)
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

  /// Gives one of two rows with the same unique value the server's values, or withholds it.
  ///
  /// - Returns: false if neither helps.
  private mutating func makeRoom(
    _ error: StoreError, in table: Table, _ working: inout WorkingSet, _ pulled: [ServerRows]
  ) throws(StoreError) -> Bool {
    for key in error.keys.reversed() {
      guard var entry = try OutboxTable.entry(table, key, connection), entry.mayBeSetAside else {
        continue
      }
      let stored = try store.record(key, of: table)
      guard let row = working.find(table.id, key)?.after ?? stored else { continue }
      let server = pulled.lazy.filter { $0.table === table }.compactMap { $0.rows[key] }.first
      let known = entry.isKnown ? entry.server(store.coding(of: table)) : nil
      entry.setAside(store.coding(of: table).encode(row), because: error.message)
      try OutboxTable.set(entry, table, key, connection)
      working.set(server ?? known, over: stored, key, table.id)
      return true
    }
    // Both rows are the server's. All hosts withhold the row with the greater key, so they end equal.
    // The row comes in as soon as a pull finds its value free.
    guard let key = error.keys.max() else { return false }
    let stored = try store.record(key, of: table)
    if stored == nil && working.find(table.id, key)?.after == nil { return false }
    working.set(nil, over: stored, key, table.id)
    try WithheldTable.set(
      RowFlaw(error.attributes, error.message), isDuplicate: true, table, key, connection)
    return true
  }
}
