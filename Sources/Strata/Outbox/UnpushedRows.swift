internal import StrataSQLite

/// What was changed here and a server does not know yet, row by row.
///
/// Folded from the history: what became of a row since the server last knew it, and which attributes
/// of it were edited here. Bounded by the number of rows edited, not by that of edits.
struct UnpushedRows {
  struct Row: Sendable {
    /// As the server knows the row, as far as this store can say; nil for a new one.
    let before: Record?
    /// As the newest edit left it; nil if it was deleted.
    var after: Record?
    /// What was edited here.
    var attributes: AttributeSet
    /// The first commit that edited it.
    let commit: Int64
  }

  private(set) var tables: [TableID: [RecordKey: Row]] = [:]
  /// The tables of which more changed than the history lists: every row may have been edited.
  private(set) var unknown: Set<TableID> = []

  var isEmpty: Bool { tables.isEmpty && unknown.isEmpty }

  /// The keys of the rows, for tables that have some.
  var keys: [TableID: Set<RecordKey>] { tables.mapValues { Set($0.keys) } }

  mutating func add(_ changes: [TableID: TableChanges], commit: Int64) {
    for (table, changes) in changes {
      guard case .rows(let rows) = changes else {
        unknown.insert(table)
        continue
      }
      for row in rows { add(row.change, table, row.key, commit) }
      if tables[table]?.isEmpty == true { tables[table] = nil }
    }
  }

  private mutating func add(
    _ change: Change, _ table: TableID, _ key: RecordKey, _ commit: Int64
  ) {
    guard var row = tables[table]?[key] else {
      let columns = change.after?.count ?? change.before?.count ?? 0
      var edited = AttributeSet.all(columns)
      if let before = change.before, let after = change.after {
        edited = after.differences(from: before)
      }
      tables[table, default: [:]][key] = Row(
        before: change.before, after: change.after, attributes: edited, commit: commit)
      return
    }
    if row.before == nil && change.after == nil {
      // The server never heard of it.
      tables[table]?[key] = nil
      return
    }
    if let before = change.before, let after = change.after {
      row.attributes.formUnion(after.differences(from: before))
    } else if let after = change.after {
      row.attributes = .all(after.count)
    }
    row.after = change.after
    tables[table]?[key] = row
  }

  // MARK: What an import may write

  /// An import's changes without what would overwrite edits that were not pushed.
  ///
  /// - Returns: how many rows are left as they are.
  func shield(_ layer: inout Layer) -> Int {
    var kept = 0
    for (table, changes) in layer.tables where tables[table] != nil || unknown.contains(table) {
      for (key, change) in changes {
        guard let allowed = allowed(change, table, key) else { continue }
        if allowed.isEmpty { kept += 1 }
        layer.replace(table, key) { _ in
          guard let record = change.applied(to: nil), !allowed.isEmpty else { return nil }
          return .blind(.patching(allowed, onInsert: record))
        }
      }
    }
    return kept
  }

  /// The attributes that may be written of a row that waits to be pushed; nil for any other row.
  private func allowed(
    _ change: LayerChange, _ table: TableID, _ key: RecordKey
  ) -> AttributeSet? {
    if unknown.contains(table) { return AttributeSet() }
    guard let row = tables[table]?[key] else { return nil }
    // Who made or deleted a row here decides about all of it.
    guard row.before != nil, row.after != nil, case .blind(let change) = change else {
      return AttributeSet()
    }
    switch change {
    case .set(nil): return AttributeSet()
    case .set(let record?): return AttributeSet.all(record.count).subtracting(row.attributes)
    case .patch(let attributes, _): return attributes.subtracting(row.attributes)
    }
  }
}
