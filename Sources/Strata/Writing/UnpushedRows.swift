internal import StrataSQLite

/// What was changed here and a server does not know yet: what nobody else may overwrite or delete.
///
/// Looked up row by row in the transaction that writes, so an edit that is saved between two
/// batches of an import counts as well.
struct UnpushedRows {
  private let connection: Connection
  private let model: Model
  /// What does not wait any longer, and may be older in what an import reads.
  private let pushed: PushedRows?

  /// Nil if nothing waits, and nothing was pushed since an import began.
  ///
  /// - Parameter connection: in an open transaction.
  init?(
    _ connection: Connection, _ model: Model, pushed: PushedRows? = nil
  ) throws(StoreError) {
    let pushed = pushed?.isEmpty == false ? pushed : nil
    let waits = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.hasEntries(connection)
    }
    guard waits || pushed != nil else { return nil }
    self.connection = connection
    self.model = model
    self.pushed = pushed
  }

  /// The attributes of a row that only this store knows; nil if nothing of the row waits.
  func attributes(_ table: TableID, _ key: RecordKey) throws(StoreError) -> AttributeSet? {
    let entry = try translatingErrors { () throws(SQLiteError) in
      try OutboxTable.entry(model[table], key, connection)
    }
    let pushed = pushed?.attributes(table, key)
    guard let entry else { return pushed }
    let known = entry.attributesKnownHere(of: model[table])
    return pushed.map(known.union) ?? known
  }

  /// Whether any row of a table waits.
  private func hasRows(of table: TableID) throws(StoreError) -> Bool {
    if pushed?.hasRows(of: table) == true { return true }
    return try translatingErrors { () throws(SQLiteError) in
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

  /// What is left out of an import's changes.
  struct LeftOut: Sendable {
    /// Rows that are left as they are.
    var kept = 0
    /// Whether others are not written whole.
    var hasValues = false
  }

  /// An import's changes without what would overwrite or delete what waits.
  func shield(_ layer: inout Layer, _ builder: RecordBuilder) throws(StoreError) -> LeftOut {
    var leftOut = LeftOut()
    for (table, changes) in layer.tables where try hasRows(of: table) {
      for (key, change) in changes {
        guard let edited = try attributes(table, key) else { continue }
        let written = change.attributes(of: model[table])
        let allowed = written.subtracting(edited)
        if allowed.isEmpty {
          leftOut.kept += 1
        } else if allowed != written {
          leftOut.hasValues = true
        }
        layer.replace(table, key) { _ in
          guard let record = change.applied(to: nil), !allowed.isEmpty else { return nil }
          return .blind(.patching(allowed, onInsert: record))
        }
      }
    }
    leftOut.kept += try shieldFromRules(&layer, builder)
    return leftOut
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
