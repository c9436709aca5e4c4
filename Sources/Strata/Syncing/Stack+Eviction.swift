extension Stack {
  /// Deletes rows that a cache can do without, and returns when the view context shows it.
  ///
  /// The rows are chosen once, at the beginning. They are deleted in batches. Each batch is an
  /// ordinary commit that is published, behind saves and among imports. These rows stay: rows that
  /// other rows refer to, rows of which the view context has unsaved edits (waiting or being
  /// saved), rows to which such an edit refers, rows that are changed after the beginning, and rows
  /// that wait to be pushed. An edit that begins while its row's batch is being written meets a
  /// deleted row, as with any other commit. The author of evictions is ``evictionAuthor``. Their
  /// commits are not pushed to a server.
  ///
  /// - Parameters:
  ///   - rule: selects the rows.
  ///   - referenced: the treatment of rows that other rows refer to.
  ///   - progress: called after each batch, where the caller runs. A row counts once, even if it is
  ///     checked again because the rows that referred to it are gone.
  /// - Returns: the number of deleted rows, and the reasons why the other rows stayed.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed`, `busy`, `diskFull`
  ///   or one of SQLite's. Batches that are already committed stay committed. Cancelling the task
  ///   stops the eviction between two batches.
  /// - Complexity: O(*n* log *n*) of the rows to delete, one look-up for each reference to their
  ///   entity; memory for their keys.
  @discardableResult
  public nonisolated(nonsending) func evict<E: Entity>(
    _ rule: Eviction<E>, referenced: Eviction<E>.ReferencedRows = .keep,
    progress: ((EvictionProgress) -> Void)? = nil
  ) async throws -> EvictionReport {
    let plan = try QueryPlan(rule.query(store.now()), store.model)
    var candidates = try await store.reading { snapshot throws(StoreError) in
      try await snapshot.versions(of: plan)
    }
    let total = candidates.count
    var done = 0
    let followsRules = referenced == .followDeleteRules
    // A row that only rows of its own table refer to may be free once these are deleted.
    let isSelfReferring = plan.table.references.contains { $0.target == plan.table.id }
    let context = ContextID()
    var report = EvictionReport()
    while true {
      var referenced: [RowVersion] = []
      let before = report.evicted
      for start in stride(from: 0, to: candidates.count, by: RowVersion.batchSize) {
        if Task.isCancelled { throw StoreError.cancelled }
        let end = min(start + RowVersion.batchSize, candidates.count)
        let batch = EvictionBatch(
          table: plan.table, candidates: candidates[start..<end],
          inUse: await store.keysInUse, followsRules: followsRules)
        let (commit, outcome, _, _) = try await store.batch(
          of: context, author: EvictionBatch.author
        ) { transaction throws(StoreError) in
          try batch.delete(in: &transaction)
        }
        report.add(outcome.report)
        if outcome.report.evicted > 0 { report.commit = commit }
        referenced += outcome.referenced
        done = min(done + batch.candidates.count, total)
        progress?(EvictionProgress(report: report, done: done, total: total))
      }
      candidates = referenced
      if report.evicted == before || referenced.isEmpty || !isSelfReferring { break }
      report.keptReferenced -= referenced.count
    }
    if let commit = report.commit { await store.viewMerged(commit) }
    return report
  }
}

extension ViewContext {
  /// The keys that have unsaved edits, waiting or being saved, and the keys that an edited record
  /// refers to.
  var keysInUse: [TableID: Set<RecordKey>] {
    var keys: [TableID: Set<RecordKey>] = [:]
    for layer in layers.stack.layers {
      for (id, changes) in layer.tables {
        let references = layers.pending.model[id].references
        for (key, change) in changes {
          keys[id, default: []].insert(key)
          guard !references.isEmpty, let record = change.applied(to: nil) else { continue }
          for reference in references where !record.isNull(reference.column) {
            keys[reference.target, default: []].insert(record.key(reference.column))
          }
        }
      }
    }
    return keys
  }
}
