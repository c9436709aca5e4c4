internal import StrataSQLite

/// Notices that an import fills a table that was empty, so that indexes can be made at its end.
package final class BulkLoad: Sendable {
  private struct State: Sendable {
    /// The rows that were brought to each table; nil once it is decided what becomes of the
    /// indexes.
    var inserted: [TableID: Int?] = [:]
    var defersIndexes = false
  }

  private let state = Lock(State())

  /// What a table has to get first: a smaller one's indexes fit into SQLite's page cache.
  static let threshold = 10_000

  package init() {}

  /// Whether indexes may have to be made at the end.
  package var defersIndexes: Bool { state.withLock { $0.defersIndexes } }

  fileprivate func didDefer() { state.withLock { $0.defersIndexes = true } }

  /// Counts what a batch brought.
  ///
  /// - Returns: tables that have got enough for a decision, which is not asked for again, and how
  ///   many rows they got.
  fileprivate func note(_ changes: [TableID: TableChanges]) -> [(table: TableID, count: Int)] {
    state.withLock { state in
      changes.compactMap { table, changes in
        guard let before = state.inserted[table, default: 0] else { return nil }
        let count = before + changes.insertionCount
        state.inserted[table] = .some(count < Self.threshold ? count : nil)
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
  func deferIndexes(
    _ load: BulkLoad, after changes: [TableID: TableChanges], _ connection: Connection
  ) throws(StoreError) {
    for (table, count) in load.note(changes)
    where try deferIndexes(of: model[table], having: count, connection) {
      load.didDefer()
    }
  }

  /// Drops the indexes of a table if it has so many rows and no more; in an open transaction.
  ///
  /// Those of unique values stay, as they say which rows collide.
  ///
  /// - Returns: whether it has.
  @discardableResult
  func deferIndexes(
    of table: Table, having count: Int, _ connection: Connection
  ) throws(StoreError) -> Bool {
    let indexes = table.plainIndexes
    if indexes.isEmpty { return false }
    return try translatingErrors { () throws(SQLiteError) in
      let rows = try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM \(table.name.quotedIdentifier) LIMIT \(count + 1))")
      guard rows == Int64(count) else { return false }
      try DeferredIndexes.drop(indexes, of: table.name, connection)
      defersIndexes = true
      hasNewSchema = true
      return true
    }
  }

  /// Makes every index that is owed; in an open transaction. Before rows are deleted, too: delete
  /// rules look for what refers to a row.
  ///
  /// On a full disk they stay owed: deletions are what makes room.
  func makeDeferredIndexes(_ connection: Connection) throws(StoreError) {
    guard defersIndexes else { return }
    do throws(SQLiteError) {
      try connection.execute("SAVEPOINT strata_indexes")
      while try DeferredIndexes.makeNext(connection) {}
      try connection.execute("RELEASE strata_indexes")
      defersIndexes = false
      hasNewSchema = true
    } catch {
      let failure = StoreError(error)
      guard failure.code == .diskFull, connection.isInTransaction else { throw failure }
      try translatingErrors { () throws(SQLiteError) in
        try connection.execute("ROLLBACK TO strata_indexes")
        try connection.execute("RELEASE strata_indexes")
      }
    }
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
      // SQLite may look once more when the commit is done, and call it interrupted.
      connection.removeCancellation()
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
