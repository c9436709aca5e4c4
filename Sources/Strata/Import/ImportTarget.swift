internal import Foundation
internal import StrataSQLite

/// Where an import's batches go. Several workers may save through one; batches of one context,
/// and its own saves, keep their order.
package struct ImportTarget: Sendable {
  let store: Store
  let context: ContextID
  let author: String

  /// How a batch is saved.
  package struct Saving: Sendable {
    /// What its commit marks as imported.
    package var marks = FreshnessMarks()
    /// Whether rows that refer to what is not there are left for a later batch.
    package var waits = false
    /// Whether rows that break rules of the schema are left out.
    package var skipsRefused = false
    /// Where rows are noted that may be absent: what delete rules do to them is no change of others.
    package var noted: ImportLedger?
    /// The load that may put off indexes; nil if all of them are kept.
    package var load: BulkLoad?

    package init() {}
  }

  /// Starts saving a batch as a commit of its own.
  package func save(_ batch: RecordBatch, _ saving: Saving) -> BatchSave {
    let layer = batch.layer
    return BatchSave(
      store.writer.enqueue(.bulk, context: context) { [author] writer throws(StoreError) in
        try writer.save(layer, saving, author: author)
      })
  }

  /// Deletes those rows of a page that are as they were noted, by the delete rules.
  package nonisolated(nonsending) func delete(
    _ page: AbsentPage, notedIn ledger: ImportLedger, _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    let inUse = await store.keysInUse
    return try await store.writer.submit(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try writer.delete(page, notedIn: ledger, inUse: inUse, saving, author: author)
    }
  }

  /// How often making an index begins anew because something urgent came; then that waits.
  private static let patience = 8

  /// Makes the indexes that were put off, each in a transaction of its own.
  ///
  /// - Throws: also `suspended`, if that is not waited for.
  package nonisolated(nonsending) func makeDeferredIndexes(
    waitsForResumption: Bool = true
  ) async throws(StoreError) {
    var patience = Self.patience
    while true {
      let step = try await store.writer.enqueue(
        .bulk, context: context, waitsForResumption: waitsForResumption
      ) { [patience] writer throws(StoreError) in
        try writer.makeNextDeferredIndex(givesWay: patience > 0)
      }.value
      switch step {
      case .made: break
      case .gaveWay: patience -= 1
      case .done: return
      }
    }
  }

  /// Makes them for an import that has failed: whatever its deadline is, also if its task is cancelled,
  /// and without keeping it waiting while the store is suspended.
  package nonisolated(nonsending) func makeDeferredIndexesAfterFailure() async {
    await StoreDeadline.withNone {
      Task {
        do throws(StoreError) { try await makeDeferredIndexes(waitsForResumption: false) } catch {
          if error.code == .suspended { Task { try? await makeDeferredIndexes() } }
        }
      }
    }.value
  }

  /// Makes the links of some entities what a feed says.
  package nonisolated(nonsending) func link(
    _ sets: [LinkSet], _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    try await store.writer.submit(.bulk, context: context) { [author] writer throws(StoreError) in
      try writer.link(sets, saving, author: author)
    }
  }

  // MARK: All or nothing

  /// Writes everything that was staged in one transaction, and deletes what is absent.
  package nonisolated(nonsending) func apply(
    _ ledger: ImportLedger, absentIn tables: [Table], _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    let inUse = tables.isEmpty ? [:] : await store.keysInUse
    return try await store.writer.submit(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try writer.apply(ledger, absentIn: tables, inUse: inUse, saving, author: author)
    }
  }
}

/// What an import marks as imported, checked.
package struct FreshnessMarks: Sendable {
  var identities: Set<CacheIdentity> = []
  var claim: FeedClaim?

  package init() {}

  package var isEmpty: Bool { identities.isEmpty && claim == nil }

  func write(at time: Date, _ connection: Connection) throws(StoreError) {
    try FreshnessTable.mark(identities, at: time, connection)
    if let claim { try ValidatorTable.complete(claim, connection) }
  }
}

extension ScratchContext {
  /// Where batches go that are committed; nil for a child of another context, whose edits they
  /// become.
  ///
  /// - Parameter fallback: who commits if this context does not say.
  package func batchTarget(author fallback: String) -> ImportTarget? {
    isChildOfStore ? ImportTarget(store: store, context: id, author: author ?? fallback) : nil
  }

  /// Notes every row of some scopes as one that a feed may not have any more, and what may go with
  /// those.
  package nonisolated(nonsending) func noteRows(
    of scopes: [ImportScope], in ledger: ImportLedger
  ) async throws(StoreError) {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.readOnce { reader, connection throws(StoreError) in
        let dependents = ImportScope.dependents(of: scopes, reader.model)
        for scope in scopes + dependents {
          let plan = scope.plan
          let rows = try connection.prepared(
            plan.select(limit: plan.limit, offset: plan.offset), reader.model)
          defer { rows.reset() }
          var page: [EvictionCandidate] = []
          while try translatingErrors({ () throws(SQLiteError) in try rows.step() }) {
            page.append(EvictionCandidate(try reader.builder.record(rows, of: plan.table)))
            if page.count < EvictionCandidate.batchSize { continue }
            try ledger.addNow(page, of: scope)
            page.removeAll(keepingCapacity: true)
          }
          try ledger.addNow(page, of: scope)
        }
      }
    }
  }

  /// Makes a batch part of this context's edits.
  package func compose(_ batch: RecordBatch) { compose(batch.layer) }

  /// Makes the deletion of those rows of a page part of this context's edits that are as they were
  /// noted and that it has not edited.
  package nonisolated(nonsending) func delete(
    _ page: AbsentPage
  ) async throws(StoreError) -> BatchOutcome {
    var outcome = BatchOutcome()
    let id = page.table.id
    let stored = try await reading { fetch throws(StoreError) in
      try await fetch.snapshot.records(page.table, keys: Set(page.rows.map(\.key)))
    }
    for row in page.rows {
      if let record = stored[row.key], row.isUnchanged(record),
        !layers.contains(where: { $0[id, row.key] != nil })
      {
        edits.layer[id, row.key] = .known(Change(before: record, after: nil))
        outcome.deleted += 1
      } else {
        outcome.kept += 1
      }
    }
    return outcome
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

  /// Lets go of what was pinned, so that the next fetch sees what was imported.
  package func unpin() { letGoOfSnapshot() }
}
