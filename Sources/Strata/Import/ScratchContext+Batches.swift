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
