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
    /// What the import's last commit marks as imported.
    package var marks = FreshnessMarks()
    /// Whether it is that commit.
    package var isLast = false
    /// What was pushed since the import began.
    package var pushed: PushedRows?
    /// Whether rows that refer to what is not there are left for a later batch.
    package var waits = false
    /// Whether rows that break rules of the schema are left out.
    package var skipsRefused = false
    /// Where rows are noted that may be absent: what delete rules do to them is no change of
    /// others.
    package var noted: ImportLedger?
    /// The load that may put off indexes; nil if all of them are kept.
    package var load: BulkLoad?
    /// The batches of which none is saved behind one that is not; nil for a batch by itself.
    package var sequence: BatchSequence?

    package init() {}

    /// Whether more than rows is written.
    var hasMarks: Bool { isLast && !marks.isEmpty }
  }

  /// Starts saving a batch as a commit of its own.
  package func save(_ batch: RecordBatch, _ saving: Saving) -> BatchSave {
    let layer = batch.layer
    let submission = store.writer.enqueue(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try saving.sequence?.check()
      do throws(StoreError) {
        return try ImportWriter.run(on: writer, saving, author: author) {
          importing, transaction throws(StoreError) in
          let changes = try importing.write(layer, in: &transaction)
          try saving.load?.dropIndexes(after: changes, in: &transaction)
        }
      } catch {
        saving.sequence?.end()
        throw error
      }
    }
    return BatchSave(submission.beforeWithdrawing { saving.sequence?.end() })
  }

  /// Deletes those rows of a page that are as they were noted, by the delete rules.
  ///
  /// The last page marks what was imported only if no absent row of the tables is held by another
  /// one.
  package nonisolated(nonsending) func delete(
    _ page: AbsentPage, absentIn tables: [Table], notedIn ledger: ImportLedger, _ saving: Saving
  ) async throws(StoreError) -> BatchOutcome {
    let inUse = await store.keysInUse
    return try await store.writer.submit(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try ImportWriter.run(on: writer, saving, author: author) {
        importing, transaction throws(StoreError) in
        try importing.delete(page, notedIn: ledger, inUse: inUse, in: &transaction)
        // Another pass may delete the rows that are held now, or never come to them.
        if saving.isLast { importing.saving.isLast = try ledger.heldCountNow(in: tables) == 0 }
      }
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
        try writer.makeNextOwedIndex(givesWay: patience > 0)
      }.value
      switch step {
      case .made: break
      case .gaveWay: patience -= 1
      case .done: return
      }
    }
  }

  /// Makes them for an import that has failed: whatever its deadline is, also if its task is
  /// cancelled, and without keeping it waiting while the store is suspended.
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
      try ImportWriter.run(on: writer, saving, author: author) {
        importing, transaction throws(StoreError) in
        try importing.link(sets, in: &transaction)
      }
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
      try ImportWriter.run(on: writer, saving, author: author) {
        importing, transaction throws(StoreError) in
        try importing.apply(ledger, absentIn: tables, inUse: inUse, in: &transaction)
      }
    }
  }
}

/// What an import marks as imported, checked.
package struct FreshnessMarks: Sendable {
  var identities: Set<CacheIdentity> = []
  var claim: FeedClaim?
  /// Whether the commits before have left nothing out.
  package var isComplete = true

  package init() {}

  package var isEmpty: Bool { identities.isEmpty && claim == nil }
}
