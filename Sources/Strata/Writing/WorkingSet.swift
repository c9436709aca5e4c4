/// The rows that one save touches, as they are in the store and as they will be.
struct WorkingSet {
  struct Row {
    let key: RecordKey
    /// The record in the store.
    let before: Record?
    /// The record as the save leaves it.
    var after: Record?
    /// Whether `before` is presumed by the context, and was not read.
    ///
    /// An insertion of a new key is not looked up first. If the key is stored, the insertion itself
    /// fails, and the save begins anew.
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

    /// Returns the row's position; builds the index when it is first needed.
    mutating func position(of key: RecordKey) -> Int? {
      if positions == nil {
        var index: [RecordKey: Int] = Dictionary(minimumCapacity: all.count)
        for (position, row) in all.enumerated() { index[row.key] = position }
        positions = index
      }
      return positions?[key]
    }

    mutating func set(_ after: Record?, at position: Int) { all[position].after = after }

    fileprivate mutating func takeBack(_ key: RecordKey) {
      if let position = position(of: key) { all[position].after = all[position].before }
    }
  }

  var tables: [TableID: Rows] = [:]

  /// The tables in model order, so that every save writes its rows in the same order.
  var tableIDs: [TableID] { tables.keys.sorted() }

  var hasDeletions: Bool { hasDeletions(where: { _ in true }) }

  /// Returns whether rows of some tables are deleted.
  func hasDeletions(where isCounted: (TableID) -> Bool) -> Bool {
    tables.contains { table, rows in
      isCounted(table) && rows.all.contains { $0.before != nil && $0.after == nil }
    }
  }

  /// A row that is to be deleted.
  typealias Deletion = (table: TableID, row: Row)

  /// Adds rows to delete, which the set does not have.
  mutating func add(_ deletions: some Sequence<Deletion>) {
    for (table, row) in deletions { tables[table, default: .init()].append(row) }
  }

  /// Takes rows out of the set, so that they are not written.
  @discardableResult
  mutating func take(from table: TableID, where isTaken: (Row) -> Bool) -> [Row] {
    guard let rows = tables[table]?.all, rows.contains(where: isTaken) else { return [] }
    var others = Rows()
    var taken: [Row] = []
    for row in rows {
      if isTaken(row) { taken.append(row) } else { others.append(row) }
    }
    tables[table] = others
    return taken
  }

  /// Sets the final state of a row that may or may not be in the set.
  mutating func set(
    _ after: Record?, over before: Record?, _ key: RecordKey, _ table: TableID
  ) {
    if let position = tables[table]?.position(of: key) {
      tables[table]?.set(after, at: position)
    } else {
      tables[table, default: .init()].append(Row(key: key, before: before, after: after))
    }
  }

  /// Leaves rows as they are in the store.
  ///
  /// A row that the store lacks leaves the set. It is not deleted, so no delete rule runs, and a row that refers
  /// to it lacks it.
  mutating func takeBack(_ keys: Set<RecordKey>, of table: TableID) {
    take(from: table) { $0.before == nil && keys.contains($0.key) }
    for key in keys { tables[table]?.takeBack(key) }
  }

  /// Returns the final state of a row; nil if the save does not touch it.
  mutating func find(_ table: TableID, _ key: RecordKey) -> Row? {
    guard let position = tables[table]?.position(of: key) else { return nil }
    return tables[table]?.all[position]
  }
}

extension Table {
  /// Returns the conflict of an insertion that was presumed to have a new key with the stored row.
  func insertedTwice(_ row: WorkingSet.Row, _ stored: Record) -> Conflict {
    conflict(meet(Change(before: nil, after: row.after), stored), key: row.key)
  }
}
