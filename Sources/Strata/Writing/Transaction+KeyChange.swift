internal import StrataSQLite

// A server may give a row another key than the row was made with. The row gets it together with
// everything that names the row: rows that refer to it, its links, and the edits of all of them that
// wait. The outbox does not take the changes for edits.

extension Transaction {
  /// Gives a row another key. If a row of the server has the key, the two become one row.
  ///
  /// - Returns: all changes of rows; nil if there is no such row, or if a row that waits to be inserted has
  ///   the key.
  mutating func changeKey(
    of table: Table, from old: RecordKey, to new: RecordKey
  ) throws(StoreError) -> [TableID: TableChanges]? {
    if old == new { return [:] }
    let waiting = try entry(table, old)
    let row = try store.record(old, of: table)
    if row == nil && waiting == nil { return nil }
    let other = try entry(table, new)
    if other?.kind == .insert { return nil }
    let isAside = row == nil && waiting?.aside != nil
    if isAside && other != nil { return nil }
    let twin = try store.record(new, of: table)
    if row != nil && twin == nil && other?.isDeleted == true {
      // The row with the new key has come before, and was deleted here.
      try LocalRowsTable.remove(old, of: table, connection)
      try set(nil, table, old)
      isCounted = true
      return try writeRow(nil, table, old)
    }
    var working = WorkingSet()
    if isAside, let waiting {
      try moveAside(waiting, isOver: twin != nil, of: table, from: old, to: new)
    } else if let row {
      let renamed = try row.setting(Table.keyColumn, to: new, of: table)
      working.set(nil, over: row, old, table.id)
      working.set(
        try move(waiting, renamed, over: twin, of: table, from: old, to: new), over: twin, new,
        table.id)
    } else {
      // The row was deleted here while the server made it.
      _ = try move(waiting, nil, over: nil, of: table, from: old, to: new)
      if twin != nil { try writeRow(nil, table, new) }
    }
    for referrer in table.referrers {
      let referring = model[referrer.table]
      let rows = try store.records(
        of: referring, referringTo: old, in: referrer.column)
      for stored in rows {
        let key = stored.key(Table.keyColumn)
        if referring.isJoin {
          try relink(stored, of: referring, by: referrer.column, to: new, in: &working)
          continue
        }
        // A row may refer to itself, and by several columns.
        let isItself = referring === table && key == old
        let place = isItself ? new : key
        let current = working.find(referring.id, place).map(\.after) ?? stored
        guard let current, current.key(referrer.column) == old else { continue }
        let changed = try current.setting(referrer.column, to: new, of: referring)
        working.set(changed, over: isItself ? twin : stored, place, referring.id)
        try refer(place, of: referring, by: referrer.column, from: old, to: new)
      }
    }
    isCounted = true
    return try write(&working, isPushed: false)
  }

  /// Moves a row that was set aside to another key.
  ///
  /// - Parameter isOver: whether the server's row with the key has come: it is the row.
  private mutating func moveAside(
    _ waiting: OutboxEntry, isOver: Bool, of table: Table, from old: RecordKey, to new: RecordKey
  ) throws(StoreError) {
    try LocalRowsTable.remove(old, of: table, connection)
    try set(nil, table, old)
    if isOver { return }
    var entry = waiting
    try replace(Table.keyColumn, of: table, from: old, to: new, in: &entry)
    try set(entry, table, new)
  }

  /// Moves the edits of a row to another key, over the server's row that has the key.
  ///
  /// - Parameters:
  ///   - row: the row with its new key; nil if it was deleted here.
  ///   - twin: the stored row that has the key, perhaps with edits of its own.
  /// - Returns: the row that has the new key.
  private mutating func move(
    _ waiting: OutboxEntry?, _ row: Record?, over twin: Record?, of table: Table,
    from old: RecordKey, to new: RecordKey
  ) throws(StoreError) -> Record? {
    try LocalRowsTable.remove(old, of: table, connection)
    try set(nil, table, old)
    guard var entry = waiting else { return twin ?? row }
    try replace(Table.keyColumn, of: table, from: old, to: new, in: &entry)
    guard let twin else {
      try set(entry, table, new)
      return row
    }
    let other = try self.entry(table, new)
    let server = other?.server(store.coding(of: table)) ?? twin
    let rebased = entry.note(
      server, answered: nil, local: row, in: table, policy: .error, store.coding(of: table))
    guard rebased.isLeft else { return twin }
    // Of two edits of an attribute the later one stays.
    let others = other.map { other in
      other.commit > entry.commit
        ? other.editedAttributes : other.editedAttributes.subtracting(entry.editedAttributes)
    }
    guard let others else {
      try set(entry, table, new)
      return rebased.row
    }
    entry.add(others)
    try set(entry, table, new)
    return rebased.row?.replacing(others, from: twin)
  }

  /// Replaces a link by a link of another row.
  private mutating func relink(
    _ link: Record, of join: Table, by column: Int, to new: RecordKey,
    in working: inout WorkingSet
  ) throws(StoreError) {
    let old = link.key(Table.keyColumn)
    guard working.find(join.id, old) == nil else { return }
    var changed = try link.setting(column, to: new, of: join)
    let ends = (changed[JoinTable.owner], changed[JoinTable.target])
    let key: RecordKey
    do throws(ValueError) { key = RecordKey(try JoinTable.key(ends.0, ends.1)) } catch {
      throw .query("\(join.entity): \(error.message)", entity: join.entity)
    }
    changed = try changed.setting(Table.keyColumn, to: key, of: join)
    working.set(nil, over: link, old, join.id)
    let twin = try store.record(key, of: join)
    if twin == nil { working.set(changed, over: nil, key, join.id) }
    let waiting = try entry(join, old)
    try LocalRowsTable.remove(old, of: join, connection)
    try set(nil, join, old)
    guard var entry = waiting, twin == nil else { return }
    try replace(column, of: join, from: RecordKey(link[column]), to: new, in: &entry)
    try replace(Table.keyColumn, of: join, from: old, to: key, in: &entry)
    try set(entry, join, key)
  }

  /// Replaces a reference in the entry of a row, if edits of the row wait.
  private mutating func refer(
    _ key: RecordKey, of table: Table, by column: Int, from old: RecordKey, to new: RecordKey
  ) throws(StoreError) {
    guard var entry = try entry(table, key) else { return }
    try replace(column, of: table, from: old, to: new, in: &entry)
    try set(entry, table, key)
  }

  /// Replaces a cell in the rows of an entry.
  private func replace(
    _ column: Int, of table: Table, from old: RecordKey, to new: RecordKey,
    in entry: inout OutboxEntry
  ) throws(StoreError) {
    let coding = store.coding(of: table)
    try entry.mapRows { bytes throws(StoreError) in
      guard let row = coding.decode(bytes), row.key(column) == old else { return bytes }
      return coding.encode(try row.setting(column, to: new, of: table))
    }
  }
}

extension Record {
  /// - Throws: ``StoreError`` with code `invalidQuery` if the record would be too large.
  fileprivate func setting(
    _ column: Int, to key: RecordKey, of table: Table
  ) throws(StoreError) -> Record {
    do throws(ValueError) { return try setting(column, to: key.cell) } catch {
      throw .query("\(table.entity): \(error.message)", entity: table.entity)
    }
  }
}

extension StoreError {
  /// The key that a server gave a row is that of another row, which waits to be inserted.
  static func keyIsTaken(_ key: RecordKey, of table: Table) -> StoreError {
    StoreError(
      .uniquenessViolated,
      "the server has given a row the key \(key), which \(table.entity) \(key) has here",
      advice: "give the row that waits to be inserted another key, then call changeKey",
      entity: table.entity, keys: [key])
  }
}
