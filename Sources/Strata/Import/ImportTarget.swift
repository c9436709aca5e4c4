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
    _ page: AbsentPage, _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    try await store.writer.submit(.bulk, context: context) { [author] writer throws(StoreError) in
      try writer.delete(page, saving, author: author)
    }
  }

  // MARK: All or nothing

  /// Writes everything that was staged in one transaction, and deletes what is absent.
  package nonisolated(nonsending) func apply(
    _ ledger: ImportLedger, absentIn scopes: [ImportScope], _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    try await store.writer.submit(.bulk, context: context) { [author] writer throws(StoreError) in
      try writer.apply(ledger, absentIn: scopes, saving, author: author)
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

/// The rows among which an import looks for those that its feed does not have.
package struct ImportScope: Sendable {
  let plan: QueryPlan

  package var table: Table { plan.table }

  package init(everyRowOf table: Table) { plan = QueryPlan(everyRowOf: table) }

  package init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    plan = try QueryPlan(query, model)
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

  /// Notes every row of some queries as one that a feed may not have any more.
  package nonisolated(nonsending) func noteRows(
    of scopes: [ImportScope], in ledger: ImportLedger
  ) async throws(StoreError) {
    try await store.reading { snapshot throws(StoreError) in
      try await snapshot.readOnce { reader, connection throws(StoreError) in
        for scope in scopes {
          let plan = scope.plan
          let rows = try connection.prepared(
            plan.select(limit: plan.limit, offset: plan.offset), reader.model)
          defer { rows.reset() }
          var page: [EvictionCandidate] = []
          while try translatingErrors({ () throws(SQLiteError) in try rows.step() }) {
            page.append(EvictionCandidate(try reader.builder.record(rows, of: plan.table)))
            if page.count < EvictionCandidate.batchSize { continue }
            try ledger.addNow(page, of: plan.table.id)
            page.removeAll(keepingCapacity: true)
          }
          try ledger.addNow(page, of: plan.table.id)
        }
      }
    }
  }

  /// Makes a batch part of this context's edits.
  package func compose(_ batch: RecordBatch) { compose(batch.layer) }

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
