internal import StrataSQLite

/// The rows of an import that have edits which wait to be pushed.
///
/// Such a row of the server moves the edits (`OutboxEntry.note`), and the store gets the row with the edits
/// laid over it. The entries are written after the rows, without the rows that the import leaves out.
struct MetRows {
  /// The entries from now on; nil for a row of which no edit is left.
  private var entries: [TableID: [RecordKey: OutboxEntry?]] = [:]
  /// Whether edits were set aside.
  private(set) var hasSetAside = false
  private let answers: AnsweredRequest?
  /// The policy for edits in conflict. With `error` they stay, and the outbox tells them.
  private let policy: SavePolicy

  init(answers: AnsweredRequest?, policy: SavePolicy) {
    (self.answers, self.policy) = (answers, policy)
  }

  /// Lays the edits over the server's rows.
  ///
  /// - Parameter isWhole: whether the rows become whole rows of the layer, which is written at once. If not,
  ///   a row keeps to the attributes that it has in the layer.
  /// - Returns: the counts of the rows in which edits hide the server's values.
  mutating func meet(
    _ layer: inout Layer, _ store: StoreAccess, isWhole: Bool = true
  ) throws(StoreError) -> ProtectedRows.LeftOut {
    var leftOut = ProtectedRows.LeftOut()
    for (id, changes) in layer.tables {
      let table = store.model[id]
      guard try OutboxTable.hasEntries(of: table, store.connection) else { continue }
      let rows = store.coding(of: table)
      for (key, change) in changes {
        guard let entry = try OutboxTable.entry(table, key, store.connection) else { continue }
        let local = try store.record(key, of: table)
        // The import may know only some attributes.
        let presumed = entry.presumed(local, rows)
        let server = change.applied(to: presumed ?? (entry.isDeleted ? nil : local))
        let written = change.attributes(of: table)
        let isUnknown = presumed == nil && !entry.isDeleted
        let unknown = isUnknown ? local?.givenAttributes.subtracting(written) : nil
        let (row, left) = meet(
          entry, server, unknown ?? AttributeSet(), written, local, in: table, rows)
        if left != entry { entries[id, default: [:]][key] = .some(left) }
        let isHidden = written.subtracting(entry.attributesKnownHere(of: table)).isEmpty
        if isHidden && row == local && row != server {
          leftOut.kept += 1
          layer[id, key] = nil
          continue
        }
        leftOut.hasValues = leftOut.hasValues || row != server
        if isWhole {
          layer[id, key] = .blind(.set(row))
        } else if let row {
          layer[id, key] = .blind(.patching(written, onInsert: row))
        }
      }
    }
    return leftOut
  }

  /// Moves the edits of a row onto the server's row.
  private func meet(
    _ waiting: OutboxEntry, _ server: Record?, _ unknown: AttributeSet, _ written: AttributeSet,
    _ local: Record?, in table: Table, _ coding: RowCoding
  ) -> (row: Record?, left: OutboxEntry?) {
    var entry = waiting
    let isAnswer = answers?.isFor(table, entry) == true
    let rebased = entry.note(
      server, unknown: unknown, answered: isAnswer ? written : nil, local: local, in: table,
      policy: policy, coding)
    return (rebased.row, rebased.isLeft ? entry : nil)
  }

  /// Whether a row moves the edits that wait.
  func hasMoved(_ table: TableID, _ key: RecordKey) -> Bool { entries[table]?[key] != nil }

  /// Takes the rows whose edits move out of a working set, except for stored rows that change.
  ///
  /// - Returns: these rows, and the rows with such edits that the working set does not have.
  func takeMoved(from working: inout WorkingSet) -> [WorkingSet.Place] {
    entries.flatMap { id, entries in
      working.take(from: id) { entries[$0.key] != nil && $0.before == nil }
      return entries.keys.compactMap { working.find(id, $0) == nil ? (id, $0) : nil }
    }
  }

  /// Writes the entries, except for those of rows that the import leaves out.
  func write(
    without left: [WorkingSet.Place], _ refused: ArraySlice<ValidationFailure>,
    in transaction: inout Transaction
  ) throws(StoreError) {
    if entries.isEmpty { return }
    let refused = Dictionary(grouping: refused, by: \.entity).mapValues { Set($0.map(\.key)) }
    let left = Dictionary(grouping: left, by: \.table).mapValues { Set($0.map(\.key)) }
    for (id, entries) in entries {
      let table = transaction.model[id]
      for (key, entry) in entries
      where refused[table.entity]?.contains(key) != true && left[id]?.contains(key) != true {
        try OutboxTable.set(entry, table, key, transaction.connection)
        transaction.isCounted = true
      }
    }
  }

  // MARK: - Rules of the schema

  /// Sets edits aside that break a rule of the schema over the server's row.
  mutating func setBrokenAside(
    in working: inout WorkingSet, _ transaction: Transaction
  ) throws(StoreError) {
    for id in working.tableIDs {
      let table = transaction.model[id]
      guard let rules = table.rules,
        try OutboxTable.hasEntries(of: table, transaction.connection)
      else { continue }
      for (position, row) in (working.tables[id]?.all ?? []).enumerated() {
        guard let after = row.after,
          let failure = rules.failure(of: after, before: row.before, table),
          var entry = try entry(table, row.key, transaction), entry.mayBeSetAside,
          let server = entry.server(in: table, transaction),
          rules.failure(of: server, before: row.before, table) == nil
        else { continue }
        entry.setAside(
          transaction.store.coding(of: table).encode(after),
          because: "the edit breaks a rule over the row that the server has now: \(failure)")
        entries[id, default: [:]][row.key] = .some(entry)
        hasSetAside = true
        working.tables[id]?.set(server, at: position)
      }
    }
  }

  /// Returns the edits of a row that wait, as the import leaves them.
  private func entry(
    _ table: Table, _ key: RecordKey, _ transaction: Transaction
  ) throws(StoreError) -> OutboxEntry? {
    if let met = entries[table.id]?[key] { return met }
    return try OutboxTable.entry(table, key, transaction.connection)
  }

  // MARK: - Unique values

  /// Sets edits aside that have a unique value of a server's row.
  ///
  /// - Returns: the number of rows that the store no longer has, because no server has them.
  mutating func makeRoom(
    in working: inout WorkingSet, _ transaction: Transaction
  ) throws(StoreError) -> Int {
    var removed = 0
    let connection = transaction.connection
    for id in working.tableIDs {
      let table = transaction.model[id]
      guard !table.uniques.isEmpty, try OutboxTable.hasEntries(of: table, connection) else {
        continue
      }
      var isDone = true
      repeat {
        isDone = true
        for unique in table.uniques {
          let collisions = try UniqueValues(store: transaction.store)
            .collisions(in: &working, of: table, unique)
          for collision in collisions {
            guard let server = try setAside(collision, unique, of: table, in: &working, transaction)
            else { continue }
            isDone = false
            if server == nil { removed += 1 }
          }
        }
      } while !isDone
    }
    return removed
  }

  /// Sets the edits of one of two rows aside that have the same unique values.
  ///
  /// - Returns: the server's row that takes the edited row's place; nil if both rows are the server's.
  private mutating func setAside(
    _ collision: UniqueValues.Collision, _ unique: [Int], of table: Table,
    in working: inout WorkingSet, _ transaction: Transaction
  ) throws(StoreError) -> Record?? {
    let keys = [collision.owner, collision.row.key]
    for key in keys {
      guard var entry = try entry(table, key, transaction) else { continue }
      let stored = try transaction.store.record(key, of: table)
      guard let row = working.find(table.id, key)?.after ?? stored,
        entry.givesUp(unique, of: row, in: table, transaction)
      else { continue }
      let server = entry.server(in: table, transaction)
      let other = keys.first { $0 != key } ?? key
      entry.setAside(
        transaction.store.coding(of: table).encode(row),
        because:
          "\(table.entity) \(key) and \(other) have the same \(table.values(of: unique, in: row)); "
          + "the server has \(other)")
      entries[table.id, default: [:]][key] = .some(entry)
      hasSetAside = true
      working.set(server, over: stored, key, table.id)
      return .some(server)
    }
    return nil
  }
}

extension Record {
  /// The attributes that an insertion gives. The others are null, so a server may give them.
  fileprivate var givenAttributes: AttributeSet {
    AttributeSet((0..<count).filter { $0 != Table.keyColumn && !isNull($0) })
  }
}

extension OutboxEntry {
  /// Returns the server's row of the edits; nil if no server has the row.
  fileprivate func server(in table: Table, _ transaction: Transaction) -> Record? {
    isKnown ? server(transaction.store.coding(of: table)) : nil
  }

  /// Returns whether the edits may be set aside, so that another row gets the unique values.
  ///
  /// If the values are the server's, an edit of the other row has to give way.
  func givesUp(
    _ unique: [Int], of row: Record, in table: Table, _ transaction: Transaction
  ) -> Bool {
    guard mayBeSetAside else { return false }
    return server(in: table, transaction).map { $0.values(of: unique) != row.values(of: unique) }
      ?? true
  }
}
