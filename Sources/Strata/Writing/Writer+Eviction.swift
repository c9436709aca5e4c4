internal import StrataSQLite

/// Some candidates, and why some of them may have to stay.
struct EvictionBatch: Sendable {
  /// Who commits evictions.
  static let author = "strata.eviction"

  let table: Table
  let candidates: ArraySlice<EvictionCandidate>
  /// The keys that are edited or referred to by an edit, by table.
  let inUse: [TableID: Set<RecordKey>]
  let followsRules: Bool
}

extension Snapshot {
  /// The rows of a query, in its order, without keeping them.
  func evictionCandidates(_ plan: QueryPlan) async throws(StoreError) -> [EvictionCandidate] {
    try await read { reader, connection throws(StoreError) in
      let rows = try connection.prepared(
        plan.select(limit: nil, offset: plan.offset), reader.model)
      defer { rows.reset() }
      var candidates: [EvictionCandidate] = []
      while try translatingErrors({ () throws(SQLiteError) in try rows.step() }) {
        let record = try reader.builder.record(rows, of: plan.table)
        candidates.append(EvictionCandidate(record))
      }
      return candidates
    }
  }
}

extension Writer {
  /// Deletes those of a batch that may go, as one commit.
  func evict(
    _ batch: EvictionBatch
  ) throws(StoreError) -> (report: EvictionReport, referenced: [EvictionCandidate]) {
    let author = EvictionBatch.author
    var report = EvictionReport()
    var referenced: [EvictionCandidate] = []
    let (commit, _) = try transaction(author: author) { connection throws(StoreError) in
      let changes: [TableID: TableChanges]
      (changes, report, referenced) = try delete(batch, rowWriter(connection, author: author))
      // A server that is asked whether something is new would say no, and the rows stay away.
      if report.evicted > 0 { try ValidatorTable.forget(nil, connection) }
      return changes
    }
    if report.evicted > 0 { report.commit = commit }
    return (report, referenced)
  }

  /// Deletes those of a batch that may go, in an open transaction.
  func delete(
    _ batch: EvictionBatch, _ writer: RowWriter
  ) throws(StoreError) -> (
    changes: [TableID: TableChanges], report: EvictionReport, referenced: [EvictionCandidate]
  ) {
    try makeDeferredIndexes(writer.connection)
    var run = EvictionRun(
      batch, keeping: try UnpushedRows(writer.connection, model), writer.connection, model, builder)
    let rows = try run.choose()
    if rows.isEmpty { return ([:], run.report, run.referenced) }
    var working = try run.consequences(of: rows[...])
    return (try writer.write(&working), run.report, run.referenced)
  }
}
