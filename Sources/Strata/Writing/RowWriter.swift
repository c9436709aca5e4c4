internal import StrataSQLite

/// The last phase of a save, which writes the rows and notes their changes.
///
/// In each table, deletions come first, then updates, then insertions. An update that a unique
/// value blocks is parked if the blocking row is itself about to change. The parked row is deleted
/// and, after the other updates, inserted again with its row number. So two rows can swap a unique
/// value in one save.
struct RowWriter {
  let store: StoreAccess
  /// The number of rows of a table past which its changes become a reset.
  let listedRows: Int
  /// The recorder of the changes; nil if nothing is to be recorded.
  let recorder: (any ChangeRecorder)?

  /// Writes all rows and returns their changes, in key order.
  ///
  /// - Throws: `conflict` if an insertion was presumed to have a new key and its key is stored.
  func write(_ working: inout WorkingSet) throws(StoreError) -> [TableID: TableChanges] {
    var changes: [TableID: TableChanges] = [:]
    for id in working.tableIDs {
      guard let rows = working.tables.removeValue(forKey: id) else { continue }
      if let written = try write(rows, of: store.model[id]) { changes[id] = written }
    }
    return changes
  }

  private struct Parked {
    let row: WorkingSet.Row
    let rowID: Int64
  }

  private func write(
    _ rows: WorkingSet.Rows, of table: Table
  ) throws(StoreError) -> TableChanges? {
    var changes = ContiguousArray<RowChange>()
    // Positions are kept instead of rows, because copying a row counts three references.
    var updates: [Int] = []
    var inserts: [Int] = []
    for position in rows.all.indices {
      let row = rows.all[position]
      switch (row.before, row.after) {
      case (nil, nil): break
      case (let before?, nil):
        if let search = table.search {
          try search.delete(before, at: rowID(row.key, table), store.connection)
        }
        try delete(row.key, table)
        changes.append(RowChange(key: row.key, change: Change(before: before, after: nil)))
      case (let before?, let after?):
        if before != after { updates.append(position) }
      case (nil, _?): inserts.append(position)
      }
    }
    changes.reserveCapacity(changes.count + updates.count + inserts.count)
    try update(updates.lazy.map { rows.all[$0] }, table, &changes)
    let statement = try store.connection.prepared(table.sql.insert)
    for position in inserts {
      let row = rows.all[position]
      try insert(row, statement, table)
      changes.append(RowChange(key: row.key, change: Change(before: nil, after: row.after)))
    }
    // This comes before the limit: the outbox needs every row, even if the changes become a reset.
    try recorder?.record(changes, of: table)
    if changes.isEmpty { return nil }
    if changes.count > listedRows { return .reset }
    changes.sortByKey()
    return .rows(changes)
  }

  private func delete(_ key: RecordKey, _ table: Table) throws(StoreError) {
    let statement = try store.connection.prepared(table.sql.delete)
    key.bind(to: statement, at: 1)
    try statement.perform()
  }

  // MARK: Updates

  private func update(
    _ rows: some Sequence<WorkingSet.Row>, _ table: Table,
    _ changes: inout ContiguousArray<RowChange>
  ) throws(StoreError) {
    var remaining = table.uniques.isEmpty ? [] : Set(rows.map(\.key))
    var parked: [Parked] = []
    for row in rows {
      guard let before = row.before, let after = row.after else { continue }
      remaining.remove(row.key)
      let columns = after.differences(from: before)
      let statement = try store.connection.prepared(table.sql.update(columns))
      let code = after.withView { view in
        view.bind(Table.keyColumn, to: statement, at: 1)
        for column in columns.positions {
          view.bind(column, to: statement, at: Int32(truncatingIfNeeded: column + 1))
        }
        return statement.runReturningCode()
      }
      var rowID: Int64?
      if code != ResultCode.done {
        guard ResultCode.isUniqueness(code), let blocker = try blocker(of: row, table),
          remaining.contains(blocker.key)
        else { throw try failure(code, statement, row, table) }
        let number = try self.rowID(row.key, table)
        rowID = number
        parked.append(Parked(row: row, rowID: number))
        try delete(row.key, table)
      }
      if let search = table.search, !search.attributes.isDisjoint(with: columns) {
        let rowID = if let rowID { rowID } else { try self.rowID(row.key, table) }
        try search.update(columns, from: before, to: after, at: rowID, store.connection)
      }
      changes.append(RowChange(key: row.key, change: Change(before: before, after: after)))
    }
    let statement = try store.connection.prepared(table.sql.insertWithRowID)
    for parked in parked {
      guard let after = parked.row.after else { continue }
      let code = after.withView { view in
        view.bindAll(to: statement)
        statement.bind(Int32(view.count + 1), parked.rowID)
        return statement.runReturningCode()
      }
      if code != ResultCode.done { throw try failure(code, statement, parked.row, table) }
    }
  }

  private func rowID(_ key: RecordKey, _ table: Table) throws(StoreError) -> Int64 {
    // SQLite takes an integer key of an INTEGER column as the row number.
    if table.columns[Table.keyColumn].storage == .integer, let number = key.integer {
      return number
    }
    let statement = try store.connection.prepared(table.sql.rowID)
    key.bind(to: statement, at: 1)
    return try statement.firstInteger() ?? 0
  }

  // MARK: Inserts

  private func insert(
    _ row: WorkingSet.Row, _ statement: Statement, _ table: Table
  ) throws(StoreError) {
    guard let after = row.after else { return }
    let code = after.withView { view in
      view.bindAll(to: statement)
      return statement.runReturningCode()
    }
    if code == ResultCode.done {
      try table.search?.insert(after, at: store.connection.lastInsertedRowID, store.connection)
      return
    }
    if ResultCode.isUniqueness(code), row.isPresumed,
      let stored = try store.record(row.key, of: table)
    {
      throw StoreError([table.insertedTwice(row, stored)])
    }
    throw try failure(code, statement, row, table)
  }

  // MARK: Uniqueness

  /// Returns the key of the row that already has a unique value of `row`, and the value's columns.
  private func blocker(
    of row: WorkingSet.Row, _ table: Table
  ) throws(StoreError) -> (key: RecordKey, columns: [Int])? {
    guard let after = row.after else { return nil }
    for unique in table.uniques {
      if let key = try store.connection.owner(of: unique, in: after, table), key != row.key {
        return (key, unique)
      }
    }
    return nil
  }

  private func failure(
    _ code: Int32, _ statement: Statement, _ row: WorkingSet.Row, _ table: Table
  ) throws(StoreError) -> StoreError {
    guard ResultCode.isUniqueness(code), let after = row.after,
      let blocker = try blocker(of: row, table)
    else { return StoreError(statement.error(code)) }
    let names = blocker.columns.map { table.columns[$0].name }
    var error = StoreError(
      .uniquenessViolated,
      "\(table.entity) \(row.key) and \(blocker.key) have the same "
        + table.values(of: blocker.columns, in: after),
      advice: "give one of them another value", entity: table.entity, attributes: names,
      keys: [row.key, blocker.key])
    error.sqliteCode = code
    return error
  }
}

extension ContiguousArray where Element == RowChange {
  /// Sorts the changes by key, unless they already are in order.
  fileprivate mutating func sortByKey() {
    for index in indices.dropFirst() where self[index].key < self[index - 1].key {
      sort { $0.key < $1.key }
      return
    }
  }
}

extension Connection {
  /// Returns the key of the stored row that has a record's values in some unique columns.
  func owner(
    of unique: [Int], in record: Record, _ table: Table
  ) throws(StoreError) -> RecordKey? {
    let statement = try prepared(table.sql.selectKeyByUnique(unique))
    for (position, column) in unique.enumerated() {
      record[column].bind(to: statement, at: Int32(position + 1))
    }
    return try statement.first { RecordKey($0, 0) }
  }
}
