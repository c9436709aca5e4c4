internal import StrataSQLite

/// The rows to evict in one transaction, and the conditions under which rows stay.
struct EvictionBatch: Sendable {
  /// The author of an eviction's commits.
  static let author = "strata.eviction"

  let table: Table
  let candidates: ArraySlice<RowVersion>
  /// The keys that an edit changes or refers to, by table.
  let inUse: [TableID: Set<RecordKey>]
  let followsRules: Bool

  /// Deletes the rows of the batch that may go.
  ///
  /// - Returns: the counts, and the rows that stay because other rows refer to them.
  func delete(
    in transaction: inout Transaction
  ) throws(StoreError) -> (report: EvictionReport, referenced: [RowVersion]) {
    try transaction.makeDeferredIndexes()
    let protected = try ProtectedRows(transaction.store)
    var run = EvictionRun(self, keeping: protected, nil, transaction)
    let rows = try run.choose()
    if !rows.isEmpty {
      var working = try run.consequences(of: rows[...])
      try transaction.write(&working)
      try ValidatorTable.note(.eviction, transaction.connection)
    }
    return (run.report, run.referenced)
  }
}
