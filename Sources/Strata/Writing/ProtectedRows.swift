internal import StrataSQLite

/// The rows with edits that no import and no eviction may overwrite or delete.
///
/// These are the edits that a server does not know yet. For an import, an edit that was pushed since
/// the import began counts as unpushed. The edits are looked up row by row in the transaction that
/// writes. So an edit that is saved between two batches of an import counts as well.
struct ProtectedRows {
  private let store: StoreAccess
  private var model: Model { store.model }
  /// The rows that were pushed since the import began. The import may read older values of them.
  private let pushed: PushedRows?
  /// The rows that no server has sent, of which an import deletes none.
  private let local: LocalRows?

  /// Creates the look-up; nil if no edit waits, no edit was pushed since an import began, and no local rows
  /// are given.
  ///
  /// - Parameter store: the access through a connection in an open transaction.
  init?(
    _ store: StoreAccess, pushed: PushedRows? = nil, besides local: LocalRows? = nil
  ) throws(StoreError) {
    let pushed = pushed?.isEmpty == false ? pushed : nil
    let waits = try OutboxTable.hasEntries(store.connection)
    guard waits || pushed != nil || local != nil else { return nil }
    self.local = local
    self.store = store
    self.pushed = pushed
  }

  /// Returns the attributes of a row that must not be overwritten; nil if there are none.
  ///
  /// These are the attributes that wait, and the attributes that were pushed since the import
  /// began.
  func attributes(_ table: TableID, _ key: RecordKey) throws(StoreError) -> AttributeSet? {
    let entry = try OutboxTable.entry(model[table], key, store.connection)
    let pushed = pushed?.attributes(table, key)
    // A row in the place of one that was set aside is the server's.
    guard let entry, entry.aside == nil else { return pushed }
    let known = entry.attributesKnownHere(of: model[table])
    return pushed.map(known.union) ?? known
  }

  /// Returns whether any row of a table has unpushed edits.
  private func hasRows(of table: TableID) throws(StoreError) -> Bool {
    if pushed?.hasRows(of: table) == true { return true }
    return try OutboxTable.hasEntries(of: model[table], store.connection)
  }

  /// Returns whether the changes of deletions would delete or overwrite unpushed edits of other rows.
  ///
  /// - Parameter own: the rows to delete, if their own edits do not count.
  func areHit(
    by working: WorkingSet, besides own: ArraySlice<WorkingSet.Deletion> = []
  ) throws(StoreError) -> Bool {
    let own = Dictionary(grouping: own, by: \.table).mapValues { Set($0.map(\.row.key)) }
    for (table, rows) in working.tables where try hasRows(of: table) {
      for row in rows.all where row.before != row.after {
        if own[table]?.contains(row.key) == true { continue }
        guard let kept = try attributes(table, row.key) else { continue }
        guard let before = row.before, let after = row.after else { return true }
        if !kept.isDisjoint(with: after.differences(from: before)) { return true }
      }
    }
    return false
  }

  /// Returns whether unpushed edits break a rule of the schema after the changes of a deletion.
  private func areBroken(by working: WorkingSet) throws(StoreError) -> Bool {
    for (table, rows) in working.tables {
      guard let rules = model[table].rules, try hasRows(of: table) else { continue }
      for row in rows.all {
        guard let after = row.after, after != row.before, try attributes(table, row.key) != nil
        else {
          continue
        }
        if rules.failure(of: after, before: row.before, model[table]) != nil { return true }
      }
    }
    return false
  }

  /// Returns whether an edit that waits, or that was pushed since the import began, concerns a row.
  func hasEdit(of table: Table, _ key: RecordKey) throws(StoreError) -> Bool {
    if pushed?.attributes(table.id, key) != nil { return true }
    return try OutboxTable.entry(table, key, store.connection) != nil
  }

  /// Returns whether a server has sent no such row.
  func isLocal(_ table: Table, _ key: RecordKey) throws(StoreError) -> Bool {
    try local?.contains(key, of: table) == true
  }

  // MARK: - The changes of an import

  /// The counts of the changes that are left out of an import.
  struct LeftOut: Sendable {
    /// The number of rows that are left as they are.
    var kept = 0
    /// Whether other rows are written only in part.
    var hasValues = false
    /// The rows that are kept although the server has deleted them.
    var deletions: [WorkingSet.Place] = []

    mutating func add(_ other: LeftOut) {
      kept += other.kept
      deletions += other.deletions
      hasValues = hasValues || other.hasValues
    }
  }

  /// Removes an import's changes that would overwrite edits that were pushed since it began, and deletions
  /// whose rules would hit edits that wait.
  ///
  /// The edits that wait meet the import's rows afterwards (``MetRows``).
  func shield(_ layer: inout Layer) throws(StoreError) -> LeftOut {
    var leftOut = LeftOut()
    for (table, changes) in layer.tables where pushed?.hasRows(of: table) == true {
      for (key, change) in changes {
        guard let edited = pushed?.attributes(table, key) else { continue }
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
    leftOut.deletions = try shieldFromRules(&layer)
    leftOut.kept += leftOut.deletions.count
    return leftOut
  }

  /// Removes the deletions whose delete rules would delete local rows, or would delete, overwrite or break
  /// unpushed edits.
  ///
  /// - Returns: the rows of these deletions.
  private func shieldFromRules(
    _ layer: inout Layer
  ) throws(StoreError) -> [WorkingSet.Place] {
    var deletions: [WorkingSet.Deletion] = []
    for (table, changes) in layer.tables where !model[table].referrers.isEmpty {
      for (key, change) in changes where change.applied(to: nil) == nil {
        guard let record = try store.record(key, of: model[table]) else { continue }
        deletions.append((table, .init(key: key, before: record, after: nil)))
      }
    }
    let refused = try DeleteRules.permitted(of: deletions) { rows throws(StoreError) -> Bool? in
      var working = WorkingSet()
      working.add(rows)
      var rules = DeleteRules(store)
      // A deletion that a rule denies is refused when it is written.
      do throws(StoreError) { try rules.run(on: &working) } catch {
        guard error.code == .deleteDenied else { throw error }
      }
      if try local?.areHit(by: working) == true { return true }
      // The edits of a row to delete meet its deletion afterwards.
      if try areHit(by: working, besides: rows) { return true }
      return try areBroken(by: working) ? true : nil
    }.refused
    for (deletion, _) in refused { layer[deletion.table, deletion.row.key] = nil }
    return refused.map { ($0.deletion.table, $0.deletion.row.key) }
  }
}

extension LayerChange {
  /// Returns the attributes that the change writes to an existing row; empty for a deletion.
  func attributes(of table: Table) -> AttributeSet {
    switch self {
    case .blind(.set(nil)): AttributeSet()
    case .blind(.set): .all(table.columns.count)
    case .blind(.patch(let attributes, _)): attributes
    case .known(let change):
      change.after == nil ? AttributeSet() : change.differences ?? .all(table.columns.count)
    }
  }
}
