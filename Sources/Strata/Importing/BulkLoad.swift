/// The detection of empty tables that an import fills, and whose indexes it makes at its end.
package final class BulkLoad: Sendable {
  private struct State: Sendable {
    /// The number of rows that each table got; nil once the decision about its indexes is made.
    var inserted: [TableID: Int?] = [:]
    var defersIndexes = false
  }

  private let state = Lock(State())

  package init() {}

  /// Whether indexes may have to be made at the end.
  package var defersIndexes: Bool { state.withLock { $0.defersIndexes } }

  private func didDefer() { state.withLock { $0.defersIndexes = true } }

  /// Counts the insertions of a batch.
  ///
  /// - Returns: the tables that have reached the threshold, each only once, and their numbers of
  ///   rows.
  private func note(
    _ changes: [TableID: TableChanges], threshold: Int
  ) -> [(table: TableID, count: Int)] {
    state.withLock { state in
      changes.compactMap { table, changes in
        guard let before = state.inserted[table, default: 0] else { return nil }
        let count = before + changes.insertionCount
        state.inserted[table] = .some(count < threshold ? count : nil)
        return count < threshold ? nil : (table, count)
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
  /// Drops the indexes of tables whose rows all come from this import.
  func dropIndexes(
    after changes: [TableID: TableChanges], in transaction: inout Transaction
  ) throws(StoreError) {
    for (table, count) in note(changes, threshold: transaction.bounds.indexedRows)
    where try transaction.dropIndexes(of: transaction.model[table], having: count) {
      didDefer()
    }
  }
}
