internal import StrataSQLite

// An absent row is deleted by the delete rules, if it is as it was noted. It stays if a delete rule
// would also delete a row that was made or edited since, a row that the feed has, or a row that no
// server has sent.

/// The keys that an edit changes or refers to, by table.
typealias KeysInUse = [TableID: Set<RecordKey>]

extension ImportWriter {
  /// Deletes the rows of a page that are as they were noted.
  mutating func delete(
    _ page: AbsentPage, notedIn ledger: ImportLedger, inUse: KeysInUse,
    in transaction: inout Transaction
  ) throws(StoreError) {
    let local = try LocalRows(transaction.store)
    try noteAbsence(of: page, besides: local, in: &transaction)
    let protected = try ProtectedRows(transaction.store, pushed: saving.pushed)
    let batch = EvictionBatch(
      table: page.table, candidates: page.rows[...], inUse: inUse, followsRules: true)
    var run = EvictionRun(batch, keeping: protected, local, transaction) {
      [model = transaction.model] working, chosen throws(StoreError) in
      try ledger.hasOtherNow(among: working.dependents(of: chosen, in: page.table, model))
    }
    let rows = try run.choose()
    var working = rows.isEmpty ? WorkingSet() : try run.consequences(of: rows[...])
    let changes = try transaction.write(&working)
    try ledger.crossOffNow(page, holding: run.held)
    try ledger.followNow(changes)
    outcome.deleted += run.report.evicted
    noteEffects(changes, transaction.model)
    // Rows that stay because of others may be deleted later.
    outcome.kept += run.report.kept - run.held.count
    outcome.keptLocal += run.keptLocal
  }

  /// Notes whether rules changed rows of the feed's tables, or removed links.
  ///
  /// The feed has none of the rows that they deleted.
  private mutating func noteEffects(_ changes: [TableID: TableChanges], _ model: Model) {
    for (table, changes) in changes where saving.tables.contains(table) {
      let isHit =
        switch changes {
        case .reset: true
        case .rows(let rows): model[table].isJoin || rows.contains { $0.change.after != nil }
        }
      if isHit { outcome.note(.ruleEffect) }
    }
  }

  /// Tells the edits that wait that the server has no such rows. The rows stay.
  ///
  /// A row that no server has had is to be inserted there.
  private func noteAbsence(
    of page: AbsentPage, besides local: LocalRows?, in transaction: inout Transaction
  ) throws(StoreError) {
    var deletions = Layer()
    for row in page.rows where saving.pushed?.attributes(page.table.id, row.key) == nil {
      if try local?.contains(row.key, of: page.table) == true {
        try transaction.makeInsertion(row.key, of: page.table)
        continue
      }
      deletions[page.table.id, row.key] = .blind(.set(nil))
    }
    var met = MetRows(answers: nil, policy: saving.policy)
    _ = try met.meet(&deletions, transaction.store)
    try met.write(without: [], [], in: &transaction)
  }
}

extension WorkingSet {
  /// The rows, without links, that delete rules delete with the chosen rows of a table.
  fileprivate func dependents(
    of chosen: ArraySlice<EvictionRun.Row>, in table: Table, _ model: Model
  ) -> [(table: TableID, row: RowVersion)] {
    let going = Set(chosen.map(\.candidate.key))
    var dependents: [(table: TableID, row: RowVersion)] = []
    for (id, rows) in tables where !model[id].isJoin {
      for row in rows.all where row.after == nil && !(id == table.id && going.contains(row.key)) {
        if let before = row.before { dependents.append((id, RowVersion(before))) }
      }
    }
    return dependents
  }
}
