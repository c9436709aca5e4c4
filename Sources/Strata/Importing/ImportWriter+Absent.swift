internal import StrataSQLite

// An absent row is deleted by the delete rules, if it is as it was noted. It stays if a delete rule
// would also delete a row that was made or edited since, or a row that the feed has.

/// The keys that an edit changes or refers to, by table.
typealias KeysInUse = [TableID: Set<RecordKey>]

extension ImportWriter {
  /// Deletes all absent rows of some tables, portion by portion.
  mutating func deleteAbsent(
    from tables: [Table], notedIn ledger: ImportLedger, inUse: KeysInUse, portion: Int,
    in transaction: inout Transaction
  ) throws(StoreError) {
    while true {
      let before = outcome.deleted
      for table in tables {
        var page: AbsentPage?
        repeat {
          let next = try ledger.absentRowsNow(of: table, after: page, limit: portion)
          try delete(next, notedIn: ledger, inUse: inUse, in: &transaction)
          page = next
        } while page?.isLast == false
      }
      let held = try ledger.heldCountNow(in: tables)
      // The row that held a row may be deleted by now.
      if held > 0 && outcome.deleted > before { continue }
      outcome.kept += held
      return
    }
  }

  /// Deletes the rows of a page that are as they were noted.
  mutating func delete(
    _ page: AbsentPage, notedIn ledger: ImportLedger, inUse: KeysInUse,
    in transaction: inout Transaction
  ) throws(StoreError) {
    if page.isEmpty { return }
    let protected = try ProtectedRows(
      transaction.connection, transaction.model, pushed: saving.pushed)
    var inUse = inUse
    while true {
      let batch = EvictionBatch(
        table: page.table, candidates: page.rows[...], inUse: inUse, followsRules: true)
      var run = EvictionRun(batch, keeping: protected, transaction)
      let rows = try run.choose()
      var working = rows.isEmpty ? WorkingSet() : try run.consequences(of: rows[...])
      let dependents = dependents(working, of: page.table, rows, transaction.model)
      let others = try ledger.othersNow(among: dependents)
      if !others.isEmpty {
        inUse.merge(others) { $0.union($1) }
        continue
      }
      let changes = try transaction.write(&working)
      try ledger.crossOffNow(page, holding: run.referenced)
      try ledger.followNow(changes)
      outcome.deleted += run.report.evicted
      // Rows that others refer to may be deleted later.
      outcome.kept += run.report.kept - run.report.keptReferenced
      return
    }
  }

  /// The rows, without links, that delete rules delete with the chosen rows.
  private func dependents(
    _ working: WorkingSet, of table: Table, _ chosen: [EvictionRun.Row], _ model: Model
  ) -> [(table: TableID, row: RowVersion)] {
    let going = Set(chosen.map(\.candidate.key))
    var dependents: [(table: TableID, row: RowVersion)] = []
    for (id, rows) in working.tables where !model[id].isJoin {
      for row in rows.all where row.after == nil && !(id == table.id && going.contains(row.key)) {
        if let before = row.before { dependents.append((id, RowVersion(before))) }
      }
    }
    return dependents
  }
}
