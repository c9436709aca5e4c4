internal import StrataSQLite

/// The second phase of a save: delete rules and required references, on final states.
///
/// References are columns, not SQLite foreign keys. Foreign keys refuse forward references, fail at
/// `COMMIT` without naming a row, and cascade without reporting it. Here every row that a rule
/// touches becomes part of the save. Rules run to a fixed point. A row is deleted once, so cycles
/// end.
struct DeleteRules {
  /// A row that waits for the row to which it refers.
  struct WaitingRow {
    let table: TableID
    let key: RecordKey
  }

  private struct Denial {
    let referrer: Referrer
    let row: RecordKey
    let target: RecordKey
    let targetTable: Table
  }

  private struct ReferenceKey: Hashable {
    let table: TableID
    let column: Int
  }

  private let store: StoreAccess
  private var model: Model { store.model }
  private var denials: [Denial] = []
  /// The effects of the rules, each effect after its cause.
  private(set) var effects: [DeleteEffect] = []
  /// For each reference of a table that the save touches, the rows by the key to which they refer.
  private var referring: [ReferenceKey: [RecordKey: [RecordKey]]] = [:]

  init(_ store: StoreAccess) { self.store = store }

  /// Applies the rules to the deleted rows, then checks the inserted and updated rows.
  ///
  /// - Parameter waits: whether rows that lack a required row are taken back, for a later save. If
  ///   not, the save is refused.
  /// - Returns: the rows that were taken back.
  @discardableResult
  mutating func run(
    on working: inout WorkingSet, waits: Bool = false
  ) throws(StoreError) -> [WaitingRow] {
    var deleted: [(table: TableID, key: RecordKey)] = []
    // If several rows deny a deletion, model order makes the error name the same row every time.
    for table in working.tableIDs where !model[table].referrers.isEmpty {
      for row in working.tables[table]?.all ?? [] where row.after == nil {
        deleted.append((table, row.key))
      }
    }
    while let (table, key) = deleted.popLast() {
      for referrer in model[table].referrers {
        for row in try rows(referring: key, referrer, &working) {
          try apply(referrer, row, target: key, model[table], &working, &deleted)
        }
      }
    }
    try checkDenials(&working)
    try dropLooseLinks(&working)
    var waiting: [WaitingRow] = []
    while let missing = try firstMissing(in: &working, waits: waits, &waiting) {
      if !waits { throw missing }
    }
    return waiting
  }

  /// Returns the keys of all rows that may refer to `key`, stored rows and rows of this save.
  private mutating func rows(
    referring key: RecordKey, _ referrer: Referrer, _ working: inout WorkingSet
  ) throws(StoreError) -> [RecordKey] {
    let table = model[referrer.table]
    var keys: [RecordKey] = []
    for record in try store.records(of: table, referringTo: key, in: referrer.column) {
      let row = record.key(Table.keyColumn)
      if working.find(table.id, row) == nil {
        working.tables[table.id, default: .init()].append(
          .init(key: row, before: record, after: record))
      }
      keys.append(row)
    }
    let name = ReferenceKey(table: table.id, column: referrer.column)
    if referring[name] == nil {
      var index: [RecordKey: [RecordKey]] = [:]
      for row in working.tables[table.id]?.all ?? [] {
        if let after = row.after, !after.isNull(referrer.column) {
          index[after.key(referrer.column), default: []].append(row.key)
        }
      }
      referring[name] = index
    }
    return keys + (referring[name]?[key] ?? [])
  }

  private mutating func apply(
    _ referrer: Referrer, _ key: RecordKey, target: RecordKey, _ targetTable: Table,
    _ working: inout WorkingSet, _ deleted: inout [(table: TableID, key: RecordKey)]
  ) throws(StoreError) {
    guard let row = working.find(referrer.table, key), let after = row.after,
      after.refers(to: target, in: referrer.column),
      let position = working.tables[referrer.table]?.position(of: key)
    else { return }
    func take(_ result: Record?) {
      working.tables[referrer.table]?.set(result, at: position)
      effects.append(
        DeleteEffect(
          table: referrer.table, key: key, change: Change(before: after, after: result),
          cause: (targetTable.id, target)))
    }
    switch referrer.rule {
    case .nullify: take(after.settingNull(referrer.column))
    case .cascade:
      // The insertion is dropped, so no later phase notices that its key is stored.
      if row.isPresumed, let stored = try store.record(key, of: model[referrer.table]) {
        throw StoreError([model[referrer.table].insertedTwice(row, stored)])
      }
      take(nil)
      deleted.append((referrer.table, key))
    case .deny:
      denials.append(
        Denial(referrer: referrer, row: key, target: target, targetTable: targetTable))
    }
  }

  /// Checks the denials that still hold.
  ///
  /// A row no longer denies a deletion if another rule deletes that row.
  private func checkDenials(_ working: inout WorkingSet) throws(StoreError) {
    for denial in denials {
      let table = model[denial.referrer.table]
      guard let row = working.find(table.id, denial.row), let after = row.after,
        after.refers(to: denial.target, in: denial.referrer.column)
      else { continue }
      throw StoreError(
        .deleteDenied,
        "\(denial.targetTable.entity) \(denial.target) cannot be deleted: "
          + "\(table.attributeName(denial.referrer.column)) of \(denial.row) refers to it",
        advice: "delete or change what refers to it first", entity: table.entity,
        attributes: [table.columns[denial.referrer.column].name],
        keys: [denial.target, denial.row])
    }
  }

  /// Drops new links to rows that do not exist.
  ///
  /// The result is the same as if the deletion of such a row had come last.
  private mutating func dropLooseLinks(_ working: inout WorkingSet) throws(StoreError) {
    for id in working.tableIDs where model[id].isJoin {
      for (position, row) in (working.tables[id]?.all ?? []).enumerated() {
        guard let after = row.after, row.before == nil else { continue }
        for reference in model[id].references {
          let target = after.key(reference.column)
          if try exists(target, model[reference.target], &working) { continue }
          working.tables[id]?.set(nil, at: position)
          effects.append(
            DeleteEffect(
              table: id, key: row.key, change: Change(before: after, after: nil),
              cause: (reference.target, target)))
          break
        }
      }
    }
  }

  /// Looks for rows that lack a row that they require.
  ///
  /// - Returns: the error for the first such row; nil if there is no such row. With `waits`, every
  ///   such row is taken back. Rows that refer to it may then lack it.
  private func firstMissing(
    in working: inout WorkingSet, waits: Bool, _ waiting: inout [WaitingRow]
  ) throws(StoreError) -> StoreError? {
    var first: StoreError?
    for id in working.tableIDs {
      let table = model[id]
      for reference in table.references where reference.isRequired {
        var lacking: Set<RecordKey> = []
        for row in working.tables[id]?.all ?? [] {
          guard let after = row.after else { continue }
          if let before = row.before, !after.differs(from: before, at: reference.column) {
            continue
          }
          let target = after.key(reference.column)
          let isLacking = reference.target == id && lacking.contains(target)
          if !isLacking, try exists(target, model[reference.target], &working) { continue }
          first =
            first
            ?? StoreError(
              .missingReference,
              "\(table.attributeName(reference.column)) of \(row.key) refers to "
                + "\(model[reference.target].entity) \(target), which does not exist",
              advice: "save the target in the same save or before", entity: table.entity,
              attributes: [table.columns[reference.column].name], keys: [row.key, target])
          if !waits { return first }
          lacking.insert(row.key)
          waiting.append(WaitingRow(table: id, key: row.key))
        }
        working.takeBack(lacking, of: id)
      }
    }
    return first
  }

  private func exists(
    _ key: RecordKey, _ table: Table, _ working: inout WorkingSet
  ) throws(StoreError) -> Bool {
    if let row = working.find(table.id, key) { return row.after != nil }
    return try store.connection.hasRow(key, of: table)
  }
}

extension Connection {
  /// Returns whether the store has a row.
  func hasRow(_ key: RecordKey, of table: Table) throws(StoreError) -> Bool {
    let statement = try prepared(table.sql.exists)
    key.bind(to: statement, at: 1)
    return try statement.hasRow()
  }
}
