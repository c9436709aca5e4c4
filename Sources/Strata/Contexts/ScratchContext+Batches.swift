internal import StrataSQLite

// In a child of another context an import's records become edits, which are saved as if the user
// had made them. So what waits to be pushed is left out before.

extension ScratchContext {
  /// Makes a batch part of this context's edits, but for what waits to be pushed.
  package nonisolated(nonsending) func compose(
    _ batch: RecordBatch, keeping pushed: PushedRows
  ) async throws(StoreError) -> BatchOutcome {
    var outcome = BatchOutcome()
    let (layer, leftOut) = try await store.shielded(batch.layer, pushed)
    outcome.note(leftOut)
    compose(layer)
    return outcome
  }

  /// Makes the deletion of those rows of a page part of this context's edits that are as they were
  /// noted, that it has not edited, and with which nothing goes that waits to be pushed.
  package nonisolated(nonsending) func delete(
    _ page: AbsentPage, keeping pushed: PushedRows
  ) async throws(StoreError) -> BatchOutcome {
    let table = page.table
    let stored = try await reading { fetch throws(StoreError) in
      try await fetch.snapshot.records(table, keys: Set(page.rows.map(\.key)))
    }
    var deletions = Layer()
    for row in page.rows {
      guard let record = stored[row.key], row.isUnchanged(record) else { continue }
      deletions[table.id, row.key] = .known(Change(before: record, after: nil))
    }
    deletions = try await store.shielded(deletions, pushed).layer
    var outcome = BatchOutcome()
    for row in page.rows {
      if let deletion = deletions[table.id, row.key],
        !layers.edits(row.key, in: table.id)
      {
        edits.layer[table.id, row.key] = deletion
        outcome.deleted += 1
      } else {
        outcome.kept += 1
      }
    }
    return outcome
  }
}

extension Store {
  /// Changes without what would overwrite or delete what waits to be pushed.
  fileprivate nonisolated(nonsending) func shielded(
    _ layer: Layer, _ pushed: PushedRows
  ) async throws(StoreError) -> (layer: Layer, leftOut: UnpushedRows.LeftOut) {
    if layer.isEmpty { return (layer, UnpushedRows.LeftOut()) }
    return try await reading { snapshot throws(StoreError) in
      try await snapshot.readOnce { reader, connection throws(StoreError) in
        var (layer, leftOut) = (layer, UnpushedRows.LeftOut())
        if let unpushed = try UnpushedRows(connection, reader.model, pushed: pushed) {
          leftOut = try unpushed.shield(&layer, reader.builder)
        }
        return (layer, leftOut)
      }
    }
  }
}

extension ScratchContext {
  /// Counts what is under way for the stack.
  package var activityLedger: ActivityLedger { store.activity }
}

extension ScratchContext {
  /// Where batches go that are committed; nil for a child of another context, whose edits they
  /// become.
  ///
  /// - Parameter fallback: who commits if this context does not say.
  package func batchTarget(author fallback: String) -> ImportTarget? {
    isChildOfStore ? ImportTarget(store: store, context: id, author: author ?? fallback) : nil
  }

  /// Notes from now on, for an import by this context, what an outbox has pushed.
  package func beginImport() -> PushedRows { store.imports.begin() }

  /// Keeps what the store has now, until ``unpin()``, to be noted later.
  package nonisolated(nonsending) func pin() async throws(StoreError) { _ = try await pinned() }

  /// Notes every row of some scopes as one that a feed may not have any more, and what may go with
  /// those: of what was pinned, or of the newest commit.
  ///
  /// - Throws: ``StoreError`` with code `suspended` if a suspension took what was pinned.
  package nonisolated(nonsending) func noteRows(
    of scopes: [ImportScope], in ledger: ImportLedger
  ) async throws(StoreError) {
    if let snapshot, isChildOfStore { return try await snapshot.noteRows(of: scopes, in: ledger) }
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.noteRows(of: scopes, in: ledger)
    }
  }

  package var model: Model { store.model }

  /// - Throws: ``StoreError`` with code `invalidQuery`.
  package func marks(
    _ entries: [CacheEntry], claim: FeedClaim?
  ) throws(StoreError) -> FreshnessMarks {
    if !entries.isEmpty && !isChildOfStore {
      fatalError("an import into a child of the view context is not committed: freshen nothing")
    }
    var marks = FreshnessMarks()
    marks.identities = try Set(entries, store.model)
    marks.claim = claim
    return marks
  }

  /// Lets go of what was pinned, so that the next fetch sees the newest commit.
  package func unpin() { letGoOfSnapshot() }

  /// Lets go of what was read before an import; the import's rows are those of now.
  package nonisolated(nonsending) func willImport() async { if isChildOfStore { await refresh() } }

  /// Tells the stack's log of something.
  package func log(_ event: @autoclosure () -> StackEvent) {
    store.writer.options.log.note(event())
  }
}
