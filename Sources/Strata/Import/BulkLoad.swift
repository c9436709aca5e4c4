internal import StrataSQLite

/// Notices that an import fills a table that was empty, so that indexes can be made at its end.
package final class BulkLoad: Sendable {
  /// The rows that it brought to each table; nil once it is decided what becomes of the indexes.
  private let inserted = Lock<[TableID: Int?]>([:])

  /// What a table has to get first: a smaller one's indexes fit into SQLite's page cache.
  static let threshold = 10_000

  package init() {}

  /// Counts what a batch brought.
  ///
  /// - Returns: tables that have got enough for a decision, which is not asked for again, and how
  ///   many rows they got.
  fileprivate func note(_ changes: [TableID: TableChanges]) -> [(table: TableID, count: Int)] {
    inserted.withLock { inserted in
      changes.compactMap { table, changes in
        guard let before = inserted[table, default: 0] else { return nil }
        let count = before + changes.insertionCount
        inserted[table] = .some(count < Self.threshold ? count : nil)
        return count < Self.threshold ? nil : (table, count)
      }
    }
  }
}

extension TableChanges {
  fileprivate var insertionCount: Int {
    guard case .rows(let rows) = self else { return 0 }
    return rows.reduce(0) { $0 + ($1.change.before == nil ? 1 : 0) }
  }
}

extension Writer {
  /// Drops the indexes of tables whose rows are all of this import; in the transaction of a batch.
  ///
  /// Those of unique values stay, as they say which rows collide.
  func deferIndexes(
    _ load: BulkLoad, after changes: [TableID: TableChanges], _ connection: Connection
  ) throws(StoreError) {
    for (table, count) in load.note(changes) {
      let indexes = model[table].plainIndexes
      if indexes.isEmpty { continue }
      try translatingErrors { () throws(SQLiteError) in
        let name = model[table].name
        let rows = try connection.integer(
          "SELECT count(*) FROM (SELECT 1 FROM \(name.quotedIdentifier) LIMIT \(count + 1))")
        guard rows == Int64(count) else { return }
        try DeferredIndexes.drop(indexes, of: name, connection)
        defersIndexes = true
        hasNewSchema = true
      }
    }
  }

  /// Makes every index that is owed before rows are deleted, in the transaction that deletes them:
  /// delete rules look for what refers to a row.
  func makeDeferredIndexes(_ connection: Connection) throws(StoreError) {
    guard defersIndexes else { return }
    try translatingErrors { () throws(SQLiteError) in
      while try DeferredIndexes.makeNext(connection) {}
    }
    defersIndexes = false
    hasNewSchema = true
  }

  /// Makes one of the indexes that are owed.
  ///
  /// - Parameter givesWay: whether to stop, and leave everything as it was, when something urgent
  ///   waits. It takes some hundred milliseconds for a million rows.
  func makeNextDeferredIndex(givesWay: Bool) throws(StoreError) -> DeferredIndexes.Step {
    guard defersIndexes else { return .done }
    if !givesWay { return try makeNextDeferredIndex() }
    return try queue.untilUrgent { flag throws(StoreError) in
      let connection = try connection
      connection.installCancellation(flag)
      defer { connection.removeCancellation() }
      do throws(StoreError) { return try makeNextDeferredIndex() } catch {
        guard error.code == .cancelled else { throw error }
        return .gaveWay
      }
    }
  }

  private func makeNextDeferredIndex() throws(StoreError) -> DeferredIndexes.Step {
    // Another process may read the schema as soon as it is there: the commit has to be counted.
    _ = try transaction(isCounted: true) { connection throws(StoreError) in
      defersIndexes = try translatingErrors { () throws(SQLiteError) in
        try DeferredIndexes.makeNext(connection)
      }
      hasNewSchema = true
      return [:]
    }
    return defersIndexes ? .made : .done
  }
}

extension Table {
  /// The indexes that only make reading faster.
  var plainIndexes: [TableIndex] { sql.indexes(uniques: uniques).filter { !$0.isUnique } }
}
