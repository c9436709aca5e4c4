extension Stack {
  /// Deletes what a cache can do without, and returns when the view context shows it.
  ///
  /// Which rows those are is decided once, at the beginning. They go in batches, each an ordinary
  /// commit that is announced, behind saves and among imports. Rows that others refer to, rows of
  /// which the view context has unsaved edits (waiting or being saved) or to which such an edit
  /// refers, rows that are changed after the beginning, and rows that wait to be pushed stay; an
  /// edit that begins while its row's batch is being written meets a deleted row, as with any other
  /// commit. Evictions are committed by ``evictionAuthor``: they are nothing that a server is told
  /// of.
  ///
  /// - Parameters:
  ///   - rule: which rows.
  ///   - referenced: what happens to rows that others refer to.
  ///   - progress: told after each batch where the caller runs; rows that are looked at again,
  ///     since those that referred to them have gone, count once.
  /// - Returns: how many rows went, and why others stayed.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed`, `busy`, `diskFull`
  ///   or one of SQLite's. Batches committed before stay committed; cancelling stops between two.
  /// - Complexity: O(*n* log *n*) of the rows to go, one look-up for each reference to their
  ///   entity; memory for their keys.
  @discardableResult
  public nonisolated(nonsending) func evict<E: Entity>(
    _ rule: Eviction<E>, referenced: Eviction<E>.ReferencedRows = .keep,
    progress: ((EvictionProgress) -> Void)? = nil
  ) async throws(StoreError) -> EvictionReport {
    let plan = try QueryPlan(rule.query(store.now()), store.model)
    var candidates = try await store.reading { snapshot throws(StoreError) in
      try await snapshot.evictionCandidates(plan)
    }
    let total = candidates.count
    var done = 0
    let followsRules = referenced == .followDeleteRules
    // A row that only refers to rows of its own table may be free once those have gone.
    let isSelfReferring = plan.table.references.contains { $0.target == plan.table.id }
    let context = ContextID()
    var report = EvictionReport()
    while true {
      var referenced: [EvictionCandidate] = []
      let before = report.evicted
      for start in stride(from: 0, to: candidates.count, by: EvictionCandidate.batchSize) {
        if Task.isCancelled { throw .cancelled }
        let end = min(start + EvictionCandidate.batchSize, candidates.count)
        let batch = EvictionBatch(
          table: plan.table, candidates: candidates[start..<end],
          inUse: await view.keysInUse, followsRules: followsRules)
        let outcome = try await store.writer.submit(.bulk, context: context) {
          writer throws(StoreError) in try writer.evict(batch)
        }
        report.add(outcome.report)
        referenced += outcome.referenced
        done = min(done + batch.candidates.count, total)
        progress?(EvictionProgress(report: report, done: done, total: total))
      }
      candidates = referenced
      if report.evicted == before || referenced.isEmpty || !isSelfReferring { break }
      report.keptReferenced -= referenced.count
    }
    if let commit = report.commit { await view.mergedOwn(commit) }
    return report
  }
}

extension ViewContext {
  /// The keys that have unsaved edits, waiting or being saved, and those that an edited record
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
