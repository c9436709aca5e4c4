internal import StrataSQLite

/// The first phase of a save, in which each change of a layer meets the row in the store.
///
/// Rows are read in key order, many keys by a range scan and few keys by look-ups. Each row is
/// compared in place. A record is built only for a row that differs.
struct LayerResolver {
  let store: StoreAccess
  let policy: SavePolicy
  /// Whether an insertion is presumed to have a new key, without a look-up.
  let presumes: Bool
  /// Whether there was an insertion with a presumed key.
  private(set) var hasPresumed = false
  private(set) var conflicts: [Conflict] = []

  mutating func resolve(_ layer: Layer) throws(StoreError) -> WorkingSet {
    var working = WorkingSet()
    for id in layer.tables.keys.sorted() {
      guard let changes = layer.tables[id] else { continue }
      working.tables[id] = try resolve(changes, of: store.model[id], in: layer)
    }
    return working
  }

  private mutating func resolve(
    _ changes: LayerTable, of table: Table, in layer: Layer
  ) throws(StoreError) -> WorkingSet.Rows {
    var rows = WorkingSet.Rows()
    rows.reserve(changes.count)
    var cursor = try StoredRows(store.connection, table, expected: changes.count)
    defer { cursor.reset() }
    for entry in changes.inKeyOrder {
      guard let change = entry.change else { continue }
      let key = entry.key
      if presumes, case .known(let change) = change, change.before == nil {
        hasPresumed = true
        rows.append(.init(key: key, before: nil, after: change.after, isPresumed: true))
        continue
      }
      let stored = try cursor.row(key)
      if let row = try resolve(change, key, stored, table, in: layer) { rows.append(row) }
    }
    return rows
  }

  private mutating func resolve(
    _ change: LayerChange, _ key: RecordKey, _ stored: Statement?, _ table: Table, in layer: Layer
  ) throws(StoreError) -> WorkingSet.Row? {
    switch change {
    case .blind(let change):
      if let stored, change.isIn(stored) { return nil }
      let before = try stored.map { row throws(StoreError) in
        try store.builder.record(row, of: table)
      }
      let met = table.meet(change, before)
      return met.isIdentity ? nil : .init(key: key, before: met.before, after: met.after)
    case .known(let change):
      // With a merge rule, an edit over an own save starts from the saved row.
      if let stored, let before = change.before, !hasMergedSave(change, key, table, in: layer),
        before.withView({ $0.differences(from: stored).isEmpty })
      {
        return .init(key: key, before: before, after: change.after)
      }
      let before = try stored.map { row throws(StoreError) in
        try store.builder.record(row, of: table)
      }
      let saved = layer.savedRow(under: change, table.id, key)
      return resolve(table.meet(change, before, saved: saved), key, table)
    }
  }

  private func hasMergedSave(
    _ change: Change, _ key: RecordKey, _ table: Table, in layer: Layer
  ) -> Bool {
    !table.merges.isEmpty && layer.savedRow(under: change, table.id, key) != nil
  }

  /// Resolves a change whose row is not the row that the context saw.
  private mutating func resolve(
    _ meeting: Meeting, _ key: RecordKey, _ table: Table
  ) -> WorkingSet.Row? {
    let policy = table.policy(policy)
    if policy == .error && !meeting.conflicting.isEmpty {
      conflicts.append(table.conflict(meeting, key: key))
    }
    return meeting.resolved(by: policy).map {
      .init(key: key, before: meeting.stored, after: $0.after)
    }
  }
}

extension BlindChange {
  /// Returns whether a row already has all that the change writes, compared in place.
  fileprivate func isIn(_ row: Statement) -> Bool {
    switch self {
    case .set(nil): false
    case .set(let record?): record.withView { $0.differences(from: row).isEmpty }
    case .patch(let attributes, let values):
      values.withView { $0.differences(from: row) }.isDisjoint(with: attributes)
    }
  }
}
