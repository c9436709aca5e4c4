/// What the store has, at the view context's commit, for the keys that the context follows: keys
/// that it edits, can undo or has saved, and keys that it is about to read.
///
/// The one memory of the store's rows beside the results of live queries. A key is followed from its
/// first edit on, whether or not its row is known then; the first commit that touches the key makes
/// it known.
struct BaseRows: Sendable {
  /// The state of every followed key.
  private var tables: [TableID: [RecordKey: RecordState]] = [:]

  /// The state of a key; unknown for keys that are not followed.
  subscript(table: TableID, key: RecordKey) -> RecordState { tables[table]?[key] ?? .unknown }

  /// Whether a key is followed.
  func contains(_ key: RecordKey, in table: TableID) -> Bool { tables[table]?[key] != nil }

  /// Follows a key from now on.
  ///
  /// - Parameter state: what the store has at the context's commit, if the caller knows it.
  mutating func follow(_ key: RecordKey, in table: TableID, _ state: RecordState) {
    if !self[table, key].isKnown { tables[table, default: [:]][key] = state }
  }

  /// Takes the row that the store has at the context's commit.
  mutating func learn(_ record: Record?, _ key: RecordKey, in table: TableID) {
    tables[table, default: [:]][key] = RecordState(record)
  }

  /// The followed keys of a table whose rows are not known.
  func unknownKeys(of table: TableID) -> [RecordKey] {
    tables[table]?.compactMap { $0.value.isKnown ? nil : $0.key } ?? []
  }

  /// Brings the followed keys of one table to a later commit.
  ///
  /// - Parameters:
  ///   - changes: what was committed since.
  ///   - read: the rows at the later commit, for tables of which nobody knows what changed. Keys
  ///     without one are followed no more.
  ///   - touched: is called for every followed key that was committed.
  /// - Complexity: O(*k*) for the fewer of the followed keys and of the changed ones.
  mutating func follow(
    _ changes: TableChanges, in table: TableID, read: [RecordKey: Record?]?,
    touched: (RowChange) -> Void
  ) {
    // Taken out, so that changing it does not copy it.
    guard var followed = tables.removeValue(forKey: table) else { return }
    defer { tables[table] = followed }
    func take(_ row: RowChange) {
      followed[row.key] = RecordState(row.change.after)
      touched(row)
    }
    switch changes {
    case .rows(let rows) where rows.count <= followed.count:
      for row in rows where followed[row.key] != nil { take(row) }
    case .rows:
      for key in Array(followed.keys) { changes.row(key).map(take) }
    case .reset:
      for (key, was) in followed {
        guard let now = read?[key] else {
          followed[key] = nil
          continue
        }
        if RecordState(now) == was { continue }
        take(RowChange(key: key, change: Change(before: was.record, after: now)))
      }
    }
  }

  /// The most keys of a table that are followed without need.
  private static let limit = TableChanges.limit

  /// Forgets keys without need where they are too many.
  mutating func trim(_ table: TableID, needed: (RecordKey) -> Bool) {
    guard let count = tables[table]?.count, count > Self.limit else { return }
    tables[table] = tables[table]?.filter { needed($0.key) }
  }

  /// The followed keys of a table that fulfil a condition.
  func keys(of table: TableID, where isNeeded: (RecordKey) -> Bool) -> Set<RecordKey> {
    Set(tables[table]?.keys.filter(isNeeded) ?? [])
  }
}
