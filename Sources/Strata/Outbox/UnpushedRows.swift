internal import StrataSQLite

/// What was changed here and a server does not know yet: what nobody else may overwrite or delete.
///
/// Looked up row by row in the transaction that writes, so an edit that is saved between two batches
/// of an import counts as well.
struct UnpushedRows {
  private let connection: Connection
  private let model: Model

  init(_ connection: Connection, _ model: Model) {
    self.connection = connection
    self.model = model
  }

  /// The attributes of a row that only this store knows; nil if nothing of the row waits.
  ///
  /// Whoever made or deleted a row here decides about all of it.
  func attributes(_ table: TableID, _ key: RecordKey) throws(StoreError) -> AttributeSet? {
    let entry = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.entry(model[table], key, connection)
    }
    guard let entry else { return nil }
    return entry.kind == .update ? entry.editedAttributes : .all(model[table].columns.count)
  }

  /// Whether any row of a table waits.
  private func hasRows(of table: TableID) throws(StoreError) -> Bool {
    try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.hasEntries(of: model[table], connection)
    }
  }

  /// Whether a deletion would delete a row that waits, or overwrite what was edited of it.
  func areHit(by working: WorkingSet) throws(StoreError) -> Bool {
    for (table, rows) in working.tables where try hasRows(of: table) {
      for row in rows.all where row.before != row.after {
        guard let kept = try attributes(table, row.key) else { continue }
        guard let before = row.before, let after = row.after else { return true }
        if !kept.isDisjoint(with: after.differences(from: before)) { return true }
      }
    }
    return false
  }

  // MARK: - What an import may write

  /// An import's changes without what would overwrite or delete what waits.
  ///
  /// - Returns: how many rows are left as they are.
  func shield(_ layer: inout Layer, _ builder: RecordBuilder) throws(StoreError) -> Int {
    var kept = 0
    for (table, changes) in layer.tables where try hasRows(of: table) {
      for (key, change) in changes {
        guard let edited = try attributes(table, key) else { continue }
        let allowed = change.attributes(of: model[table]).subtracting(edited)
        if allowed.isEmpty { kept += 1 }
        layer.replace(table, key) { _ in
          guard let record = change.applied(to: nil), !allowed.isEmpty else { return nil }
          return .blind(.patching(allowed, onInsert: record))
        }
      }
    }
    return try kept + shieldFromRules(&layer, builder)
  }

  /// Takes deletions back whose delete rules would hit what waits.
  private func shieldFromRules(
    _ layer: inout Layer, _ builder: RecordBuilder
  ) throws(StoreError) -> Int {
    var kept = 0
    for (table, changes) in layer.tables where !model[table].referrers.isEmpty {
      for (key, change) in changes where change.applied(to: nil) == nil {
        guard let record = try connection.record(key, of: model[table], builder) else { continue }
        var working = WorkingSet()
        working.tables[table, default: .init()].append(.init(key: key, before: record, after: nil))
        var rules = DeleteRules(connection, model, builder)
        // What a rule denies is refused where it is written.
        do throws(StoreError) { try rules.run(on: &working) } catch {
          guard error.code == .deleteDenied else { throw error }
        }
        guard try areHit(by: working) else { continue }
        layer[table, key] = nil
        kept += 1
      }
    }
    return kept
  }
}

extension LayerChange {
  /// What the change writes of a row that is there; nothing if it deletes it.
  fileprivate func attributes(of table: Table) -> AttributeSet {
    switch self {
    case .blind(.set(nil)): AttributeSet()
    case .blind(.set): .all(table.columns.count)
    case .blind(.patch(let attributes, _)): attributes
    case .known(let change):
      change.after.map { after in
        change.before.map { after.differences(from: $0) } ?? .all(after.count)
      } ?? AttributeSet()
    }
  }
}
