internal import StrataSQLite

// An import into a child of another context turns its records into edits. A save writes them like
// edits of the user. So edits that wait to be pushed are laid over them first.

extension ScratchContext {
  /// Adds a batch to this context's edits, except for changes of unpushed values.
  package nonisolated(nonsending) func compose(
    _ batch: RecordBatch, keeping pushed: PushedRows
  ) async throws(StoreError) -> BatchOutcome {
    var outcome = BatchOutcome()
    let (layer, leftOut) = try await store.shielded(batch.layer, pushed)
    outcome.note(leftOut)
    compose(layer)
    return outcome
  }

  /// Adds the deletion of a page's absent rows to this context's edits.
  ///
  /// A row is kept if it differs from the noted row, if this context has edited it, if its deletion
  /// would overwrite or delete unpushed edits, or if no server has sent it.
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
  /// Returns a layer without the changes that would overwrite or delete unpushed edits, and without the
  /// deletions of rows that no server has sent.
  fileprivate nonisolated(nonsending) func shielded(
    _ layer: Layer, _ pushed: PushedRows
  ) async throws(StoreError) -> (layer: Layer, leftOut: ProtectedRows.LeftOut) {
    if layer.isEmpty { return (layer, ProtectedRows.LeftOut()) }
    return try await reading { snapshot throws(StoreError) in
      try await snapshot.readOnce { reader, connection throws(StoreError) in
        var (layer, leftOut) = (layer, ProtectedRows.LeftOut())
        let store = reader.access(connection)
        if let protected = try ProtectedRows(store, pushed: pushed) {
          leftOut = try protected.shield(&layer)
          var met = MetRows(answers: nil, policy: .error)
          leftOut.add(try met.meet(&layer, store, isWhole: false))
        }
        try LocalRows(store)?.keep(&layer)
        return (layer, leftOut)
      }
    }
  }
}

extension ScratchContext {
  /// Counts the stack's work in progress.
  package var activityLedger: ActivityLedger { store.activity }
}

extension ScratchContext {
  /// Returns the target for batches that are committed; nil for a child of another context, whose
  /// edits they become.
  ///
  /// - Parameter fallback: the author if this context has none.
  package func batchTarget(author fallback: String) -> ImportTarget? {
    isChildOfStore ? ImportTarget(store: store, context: id, author: author ?? fallback) : nil
  }

  /// Begins to note, for an import by this context, the rows that an outbox pushes.
  package func beginImport() -> PushedRows { store.imports.begin() }

  /// Pins the store's state until ``unpin()``, so that an import can note its rows later.
  package nonisolated(nonsending) func pin() async throws(StoreError) { _ = try await pinned() }

  /// Notes every row of some scopes as one that a feed may lack, and the rows that delete rules may
  /// take along.
  ///
  /// It reads the pinned state. If nothing is pinned, or for a child of another context, it reads
  /// the newest commit.
  ///
  /// - Throws: ``StoreError`` with code `suspended` if a suspension took the pinned state.
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

  /// Releases the pinned state, so that the next fetch sees the newest commit.
  package func unpin() { letGoOfSnapshot() }

  /// Refreshes the context before an import, so that the import reads the newest commit.
  package nonisolated(nonsending) func willImport() async { if isChildOfStore { await refresh() } }

  /// Reports an event to the stack's log.
  package func log(_ event: @autoclosure () -> StackEvent) {
    store.writer.options.log.note(event())
  }
}
