/// The store's rows at the view context's commit, for the keys that the context follows.
///
/// The context follows keys that it edits, can undo or has saved, and keys that it is about to
/// read. Beside it, only the results of live queries have rows of the store, and the list of conflicts
/// that a failed save found (``ViewLayers``). A key is followed from its first edit on, even if its row
/// is unknown then. The first commit that writes the key makes its row known.
struct BaseRows: Sendable {
  private struct Row {
    var state: RecordState
    /// Whether a save of the context has written the key.
    var isSavedHere = false
  }

  /// The row of every followed key.
  private var tables: [TableID: [RecordKey: Row]] = [:]
  /// The followed keys whose rows are unknown.
  private var unknown: [TableID: Set<RecordKey>] = [:]

  /// The state of a key; unknown for keys that are not followed.
  subscript(table: TableID, key: RecordKey) -> RecordState {
    tables[table]?[key]?.state ?? .unknown
  }

  /// Returns the row to assume under an edit of a value in hand.
  ///
  /// The value counts, because it may be of a commit that the context has not merged. If the context
  /// has saved the key, the newest row counts instead: the value may be older than the save, and it
  /// would conflict with it.
  func state(of key: RecordKey, in table: TableID, inHand: Record) -> RecordState {
    switch tables[table]?[key] {
    case let row? where row.isSavedHere: row.state
    default: .record(inHand)
    }
  }

  /// Returns whether a key is followed.
  func contains(_ key: RecordKey, in table: TableID) -> Bool { tables[table]?[key] != nil }

  /// Follows a key from now on.
  ///
  /// - Parameter state: the store's row at the context's commit, if the caller knows it.
  mutating func follow(_ key: RecordKey, in table: TableID, _ state: RecordState) {
    if !self[table, key].isKnown { set(state, key, in: table) }
  }

  /// Sets the row of a key to the store's row at the context's commit.
  mutating func learn(_ record: Record, _ key: RecordKey, in table: TableID) {
    set(.record(record), key, in: table)
  }

  /// Sets the row of a key to the row that a save of the context wrote.
  mutating func didSave(_ record: Record?, _ key: RecordKey, in table: TableID) {
    tables[table, default: [:]][key] = Row(state: RecordState(record), isSavedHere: true)
    unknown[table]?.remove(key)
  }

  private mutating func set(_ state: RecordState, _ key: RecordKey, in table: TableID) {
    tables[table, default: [:]][key, default: Row(state: state)].state = state
    if state.isKnown {
      unknown[table]?.remove(key)
    } else {
      unknown[table, default: []].insert(key)
    }
  }

  /// Returns the followed keys of a table whose rows are unknown.
  func unknownKeys(of table: TableID) -> Set<RecordKey> { unknown[table] ?? [] }

  /// Brings the followed keys of one table to a later commit.
  ///
  /// - Parameters:
  ///   - changes: the table's changes since the earlier commit.
  ///   - read: the rows at the later commit, for a table that was reset. Keys that are missing here
  ///     are no longer followed.
  ///   - touched: a closure that is called for every followed key that a commit wrote. After a
  ///     reset, it is called for every followed key whose row differs.
  /// - Complexity: O(*k*) for *k* changed rows if they are at most as many as the followed keys;
  ///   else O(*f* log *k*) for *f* followed keys.
  mutating func advance(
    by changes: TableChanges, in table: TableID, read: [RecordKey: RecordState]?,
    touched: (RowChange) -> Void
  ) {
    // Removed from `tables`, so that changing it does not copy it.
    guard var followed = tables.removeValue(forKey: table) else { return }
    defer {
      tables[table] = followed
      unknown[table] = unknown[table]?.filter { followed[$0]?.state.isKnown == false }
    }
    func take(_ row: RowChange) {
      followed[row.key]?.state = RecordState(row.change.after)
      touched(row)
    }
    switch changes {
    case .rows(let rows) where rows.count <= followed.count:
      for row in rows where followed[row.key] != nil { take(row) }
    case .rows:
      for key in Array(followed.keys) { changes.row(key).map(take) }
    case .reset:
      for (key, row) in followed {
        let was = row.state
        guard let now = read?[key] else {
          followed[key] = nil
          continue
        }
        if now == was { continue }
        take(RowChange(key: key, change: Change(before: was.record, after: now.record)))
      }
    }
  }

  /// The number of followed keys in a table past which unneeded keys are dropped.
  private static let limit = TableChanges.limit

  /// Drops the keys of a table that are not needed, if it has too many followed keys.
  mutating func trim(_ table: TableID, needed: (RecordKey) -> Bool) {
    guard let count = tables[table]?.count, count > Self.limit else { return }
    tables[table] = tables[table]?.filter { needed($0.key) }
    unknown[table] = unknown[table]?.filter(needed)
  }

  /// Returns the followed keys of a table that meet a condition.
  func keys(of table: TableID, where isNeeded: (RecordKey) -> Bool) -> Set<RecordKey> {
    Set(tables[table]?.keys.filter(isNeeded) ?? [])
  }
}
