internal import StrataSQLite

// What a feed does not have any more is deleted as it was noted, by the delete rules. A row stays
// if that would take along what was made or edited since, or what the feed has.

/// The keys that are edited or referred to by an edit, by table.
typealias KeysInUse = [TableID: Set<RecordKey>]

extension Writer {
  /// Deletes those rows of a page that are as they were noted, as one commit.
  func delete(
    _ page: AbsentPage, absentIn tables: [Table], notedIn ledger: ImportLedger, inUse: KeysInUse,
    _ saving: ImportTarget.Saving, author: String
  ) throws(StoreError) -> BatchOutcome {
    let start = ContinuousClock.now
    var outcome = BatchOutcome()
    (outcome.commit, _) = try transaction(author: author, isCounted: saving.hasMarks) {
      connection throws(StoreError) in
      let changes = try delete(
        page, notedIn: ledger, inUse: inUse, saving, rowWriter(connection, author: author), &outcome
      )
      var saving = saving
      // Another pass may find what is held to be free, or never come to it.
      if saving.isLast { saving.isLast = try ledger.heldCountNow(in: tables) == 0 }
      try note(&outcome, saving, connection)
      return changes
    }
    outcome.duration = start.duration(to: .now)
    return outcome
  }

  /// Deletes all absent rows of some tables in an open transaction, portion by portion.
  func deleteAbsent(
    from tables: [Table], notedIn ledger: ImportLedger, inUse: KeysInUse, portion: Int,
    _ saving: ImportTarget.Saving, _ writer: RowWriter, _ outcome: inout BatchOutcome,
    _ body: ([TableID: TableChanges]) -> Void
  ) throws(StoreError) {
    while true {
      let before = outcome.deleted
      for table in tables {
        var page: AbsentPage?
        repeat {
          let next = try ledger.absentRowsNow(of: table, after: page, limit: portion)
          body(try delete(next, notedIn: ledger, inUse: inUse, saving, writer, &outcome))
          page = next
        } while page?.isLast == false
      }
      let held = try ledger.heldCountNow(in: tables)
      // What held a row may have gone after it was looked at.
      if held > 0 && outcome.deleted > before { continue }
      outcome.kept += held
      return
    }
  }

  private func delete(
    _ page: AbsentPage, notedIn ledger: ImportLedger, inUse: KeysInUse,
    _ saving: ImportTarget.Saving, _ writer: RowWriter, _ outcome: inout BatchOutcome
  ) throws(StoreError) -> [TableID: TableChanges] {
    if page.isEmpty { return [:] }
    let unpushed = try UnpushedRows(writer.connection, model, pushed: saving.pushed)
    var inUse = inUse
    while true {
      let batch = EvictionBatch(
        table: page.table, candidates: page.rows[...], inUse: inUse, followsRules: true)
      var run = EvictionRun(batch, keeping: unpushed, writer.connection, model, builder)
      let rows = try run.choose()
      var working = rows.isEmpty ? WorkingSet() : try run.consequences(of: rows[...])
      let others = try ledger.othersNow(among: dependents(working, of: page.table, rows))
      if !others.isEmpty {
        inUse.merge(others) { $0.union($1) }
        continue
      }
      let changes = try writer.write(&working)
      try ledger.settleNow(page, holding: run.referenced)
      try ledger.followNow(changes)
      outcome.deleted += run.report.evicted
      // Those that others refer to may go later.
      outcome.kept += run.report.kept - run.report.keptReferenced
      return changes
    }
  }

  /// The rows, without links, that would go because others go.
  private func dependents(
    _ working: WorkingSet, of table: Table, _ chosen: [EvictionRun.Row]
  ) -> [(table: TableID, row: EvictionCandidate)] {
    let going = Set(chosen.map(\.candidate.key))
    var dependents: [(table: TableID, row: EvictionCandidate)] = []
    for (id, rows) in working.tables where !model[id].isJoin {
      for row in rows.all where row.after == nil && !(id == table.id && going.contains(row.key)) {
        if let before = row.before { dependents.append((id, EvictionCandidate(before))) }
      }
    }
    return dependents
  }
}
