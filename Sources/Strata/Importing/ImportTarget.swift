internal import Foundation
internal import StrataSQLite

/// The target of an import's batches.
///
/// Several workers may save through one target. Batches of one context, and its own saves, keep
/// their order.
package struct ImportTarget: Sendable {
  let store: Store
  let context: ContextID
  let author: String

  /// The options by which a batch is saved.
  package struct Saving: Sendable {
    /// The entries that the import's last commit marks as imported.
    package var marks = FreshnessMarks()
    /// The tables of which the import may write rows or links.
    package var tables: Set<TableID> = []
    /// The rows that were pushed since the import began.
    package var pushed: PushedRows?
    /// Whether rows whose reference does not exist yet wait for a later batch.
    package var waits = false
    /// Whether rows whose unique values other rows have wait for a later batch, which may give them up.
    var takenWait = false
    /// Whether updates of stored rows are held back for a later batch, which may take them back.
    package var holdsUpdates = false
    /// Whether rows that the store does not have are left out.
    ///
    /// The row of an update that was held back may be deleted meanwhile.
    package var insertsNothing = false
    /// The columns by which rows that were made here are found.
    package var matches: [RowMatch] = []
    /// The policy for waiting edits that conflict with the rows.
    package var policy = SavePolicy.error
    /// Whether rows that break rules of the schema are left out.
    package var skipsRefused = false
    /// The ledger of the rows that may be absent; it also notes the changes that delete rules make.
    ///
    /// So these changes do not count as changes by others.
    package var noted: ImportLedger?
    /// The load that may defer indexes; nil if all indexes are kept.
    package var load: BulkLoad?
    /// The request that the import's task is sending; nil outside of a push.
    let answers = AnsweredRequest.current
    /// The sequence of the batch, which ends at a batch that is not saved; nil for a single batch.
    package var sequence: BatchSequence?

    package init() {}
  }

  /// Starts saving a batch as a commit of its own.
  package func save(_ batch: RecordBatch, _ saving: Saving) -> BatchSave {
    let submission = store.writer.enqueue(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try saving.sequence?.check()
      do throws(StoreError) {
        return try saving.trying { saving throws(StoreError) in
          try ImportWriter.run(on: writer, saving, author: author) {
            importing, transaction throws(StoreError) in
            try importing.write(batch, in: &transaction)
          }
        }
      } catch {
        saving.sequence?.end()
        throw error
      }
    }
    return BatchSave(submission.beforeWithdrawing { saving.sequence?.end() })
  }

  /// Writes the next portion of an import's end, or all portions, as a commit.
  ///
  /// The last commit writes the marks.
  ///
  /// - Parameter batchSize: the number of rows in a portion.
  /// - Returns: the rest of the import's end, and the outcome of the commit.
  package nonisolated(nonsending) func write(
    _ end: ImportEnd, batchSize: Int, _ saving: Saving
  ) async throws(StoreError) -> (rest: ImportEnd, outcome: BatchOutcome) {
    let inUse = end.deletesNext ? await store.keysInUse : [:]
    return try await store.writer.submit(.bulk, context: context) {
      [author] writer throws(StoreError) in
      try saving.trying { saving throws(StoreError) in
        var rest = end
        let outcome = try ImportWriter.run(on: writer, saving, author: author) {
          importing, transaction throws(StoreError) in
          try rest.write(with: &importing, inUse: inUse, batchSize: batchSize, in: &transaction)
        }
        return (rest, outcome)
      }
    }
  }

  /// The number of times that an urgent unit interrupts the making of indexes.
  ///
  /// After that, urgent units wait.
  private static let patience = 8

  /// Makes the deferred indexes, each in a transaction of its own.
  ///
  /// - Parameter waitsForResumption: whether this waits while the store is suspended.
  /// - Throws: also `suspended`, if this does not wait for a resumption.
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
      case .moreLeft: break
      case .gaveWay: patience -= 1
      case .done: return
      }
    }
  }

  /// Makes the deferred indexes for an import that has failed.
  ///
  /// The import's deadline and the cancellation of its task do not apply. While the store is
  /// suspended, the import does not wait: the indexes are made after the resumption.
  package nonisolated(nonsending) func makeDeferredIndexesAfterFailure() async {
    await StoreDeadline.withNone {
      Task {
        do throws(StoreError) { try await makeDeferredIndexes(waitsForResumption: false) } catch {
          if error.code == .suspended { Task { try? await makeDeferredIndexes() } }
        }
      }
    }.value
  }
}

extension ImportTarget.Saving {
  /// Runs a transaction, and once more if a unique value is taken: its row then waits.
  ///
  /// The look-up of every unique value costs more than a transaction that fails now and then.
  fileprivate func trying<Result>(
    _ body: (Self) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    do throws(StoreError) { return try body(self) } catch {
      if error.code != .uniquenessViolated { throw error }
      var patient = self
      patient.takenWait = true
      return try body(patient)
    }
  }
}

/// The checked entries that an import marks as imported, and the claim of its feed.
package struct FreshnessMarks: Sendable {
  var identities: Set<CacheIdentity> = []
  var claim: FeedClaim?
  /// The tables of which the feed has all rows.
  package var wholeTables: Set<TableID> = []
  /// The losses that no batch has, such as of records that were refused before.
  package var losses: Set<FeedLoss> = []

  package init() {}

  package var isEmpty: Bool { identities.isEmpty && claim == nil }
}
