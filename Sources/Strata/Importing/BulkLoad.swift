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

  private func didDefer() { state.withLock { $0.defersIndexes = true } }

  /// Counts what a batch brought.
  ///
  /// - Returns: tables that have got enough for a decision, which is not asked for again, and how
  ///   many rows they got.
  private func note(_ changes: [TableID: TableChanges]) -> [(table: TableID, count: Int)] {
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

extension BulkLoad {
  /// Drops the indexes of tables whose rows are all of this import.
  func dropIndexes(
    after changes: [TableID: TableChanges], in transaction: inout Transaction
  ) throws(StoreError) {
    for (table, count) in note(changes)
    where try transaction.dropIndexes(of: transaction.model[table], having: count) {
      didDefer()
    }
  }
}
