/// The rows that one save touches, as they are in the store and as they will be.
struct WorkingSet {
  struct Row {
    let key: RecordKey
    /// The record in the store.
    let before: Record?
    /// The record as the save leaves it.
    var after: Record?
    /// Whether `before` is what the context believes rather than what was read.
    ///
    /// An insertion of a new key is not looked up first: the insertion itself notices the row, and
    /// the save begins anew.
    var isPresumed = false
  }

  struct Rows {
    private(set) var all: ContiguousArray<Row> = []
    private var positions: [RecordKey: Int]?

    mutating func reserve(_ count: Int) { all.reserveCapacity(count) }

    mutating func append(_ row: Row) {
      positions?[row.key] = all.count
      all.append(row)
    }

    /// The row's position; the index is built when it is first needed.
    mutating func position(of key: RecordKey) -> Int? {
      if positions == nil {
        var index: [RecordKey: Int] = Dictionary(minimumCapacity: all.count)
        for (position, row) in all.enumerated() { index[row.key] = position }
        positions = index
      }
      return positions?[key]
    }

    mutating func set(_ after: Record?, at position: Int) { all[position].after = after }
  }

  var tables: [TableID: Rows] = [:]

  /// The tables in model order, so that a save is written the same way every time.
  var tableIDs: [TableID] { tables.keys.sorted() }

  var hasDeletions: Bool {
    tables.values.contains { rows in rows.all.contains { $0.before != nil && $0.after == nil } }
  }

  /// The final state of a row, if the save touches it.
  mutating func find(_ table: TableID, _ key: RecordKey) -> Row? {
    guard let position = tables[table]?.position(of: key) else { return nil }
    return tables[table]?.all[position]
  }
}

extension Table {
  /// The conflict of an insertion that was presumed to be of a new key with the row that is there.
  func insertedTwice(_ row: WorkingSet.Row, _ stored: Record) -> Conflict {
    conflict(
      Change(before: nil, after: row.after), key: row.key, stored: stored,
      attributes: .all(columns.count))
  }
}
