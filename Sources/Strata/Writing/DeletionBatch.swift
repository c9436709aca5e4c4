internal import StrataSQLite

/// The rows of a query that one transaction deletes.
struct DeletionBatch: Sendable {
  let plan: QueryPlan
  /// The rows in key order, as they were when they were found.
  let candidates: [RowVersion]
  /// Whether a rule that forbids a deletion is an error. If not, its row is left for a later batch.
  let isLast: Bool

  /// A change that delete rules make to another row of the query's table.
  struct Effect: Sendable {
    let before: RowVersion
    /// The row after the change; nil if the row was deleted.
    let after: RowVersion?
  }

  struct Outcome: Sendable {
    /// The number of candidates that were deleted.
    var deleted = 0
    /// The candidates whose deletion a rule forbids as long as other rows exist.
    var refused: [RowVersion] = []
    var effects: [Effect] = []
  }

  /// Deletes the candidates by the delete rules.
  ///
  /// A candidate that has changed is deleted if it still meets the query's conditions.
  ///
  /// - Throws: ``StoreError``, also with code `deleteDenied` or `validationFailed` if the batch is
  ///   the last one.
  func delete(in transaction: inout Transaction) throws(StoreError) -> Outcome {
    try transaction.makeDeferredIndexes()
    var outcome = Outcome()
    var rows = try self.rows(in: transaction)
    if rows.isEmpty { return outcome }
    // A context's deletion asks neither about edits of other contexts nor about unpushed edits.
    let batch = EvictionBatch(table: plan.table, candidates: [], inUse: [:], followsRules: true)
    var run = EvictionRun(batch, keeping: nil, nil, transaction)
    var working: WorkingSet
    do throws(StoreError) { working = try run.consequences(of: rows[...]) } catch {
      guard !isLast, EvictionRun.isRefusal(error) else { throw error }
      rows = try run.permitted(of: rows)
      outcome.refused = run.referenced
      if rows.isEmpty { return outcome }
      working = try run.consequences(of: rows[...])
    }
    outcome.deleted = rows.count
    // The rows that rules change come after the rows of the batch.
    for row in working.tables[plan.table.id]?.all.dropFirst(rows.count) ?? [] {
      guard let before = row.before, row.after != before else { continue }
      outcome.effects.append(
        Effect(before: RowVersion(before), after: row.after.map { RowVersion($0) }))
    }
    try transaction.write(&working)
    return outcome
  }

  /// Reads the candidates that still exist and still belong to the query.
  private func rows(in transaction: Transaction) throws(StoreError) -> [EvictionRun.Row] {
    guard let first = candidates.first, let last = candidates.last else { return [] }
    var rows: [EvictionRun.Row] = []
    var changed: [EvictionRun.Row] = []
    var stored = try StoredRows(
      transaction.connection, plan.table, count: candidates.count, from: first.key, to: last.key)
    defer { stored.reset() }
    for candidate in candidates {
      guard let row = try stored.row(candidate.key) else { continue }
      let record = try transaction.store.builder.record(row, of: plan.table)
      let found = EvictionRun.Row(candidate: candidate, record: record)
      if candidate.isUnchanged(record) { rows.append(found) } else { changed.append(found) }
    }
    if changed.isEmpty { return rows }
    let keys = Set(changed.map(\.candidate.key.cell))
    let sql = plan.select(limit: nil, offset: 0, isSorted: false, only: .keys(keys))
    var members: Set<RecordKey> = []
    try transaction.connection.prepared(sql, transaction.model).forEach { row in
      members.insert(RecordKey(row, Int32(Table.keyColumn)))
    }
    return rows + changed.filter { members.contains($0.candidate.key) }
  }
}
