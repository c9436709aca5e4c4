/// The outcome of a batch.
package struct BatchOutcome: Sendable {
  /// The commit that has the batch: a new one, or the newest if nothing differed from the store.
  package var commit: Int64 = 0
  /// The number of rows in the batch.
  package var count = 0
  package var inserted = 0
  package var updated = 0
  package var deleted = 0
  /// The number of rows that the store already had as the feed has them.
  package var unchanged = 0
  /// The number of rows that stay as they are.
  ///
  /// Such a row was edited or changed meanwhile, waits to be pushed, or is held by rows that refer
  /// to it.
  package var kept = 0
  /// The number of absent rows that stay, because no server has sent them.
  package var keptLocal = 0
  /// The waiting rows, and the deletions that a delete rule has denied; they were not written.
  package var waiting = RecordBatch()
  /// The updates that were held back; they were not written.
  package var held = RecordBatch()
  /// The number of updates that were held back and that a later record replaced.
  package var replaced = 0
  /// The failures of rows that were left out because they break rules of the schema.
  package var refused: [ValidationFailure] = []
  /// The number of links to rows that the store does not have.
  package var waitingLinks = 0
  /// The tables in which rows were inserted or updated.
  private(set) var changed: Set<TableID> = []
  /// The losses that the counts do not tell.
  private var otherLosses: Set<FeedLoss> = []
  /// The time for which the batch held the writer.
  package var duration = Duration.zero
  /// Whether a save of the view context has waited for the batch.
  package var hasHeldUp = false

  package init() {}

  /// What the store lacks of the batch, besides waiting rows, or of other feeds.
  package var losses: Set<FeedLoss> {
    var losses = otherLosses
    if kept > 0 { losses.insert(.keptRow) }
    if !refused.isEmpty { losses.insert(.refusedRecord) }
    if deleted > 0 { losses.insert(.deletion) }
    return losses
  }

  /// Whether rows were left out, or wait.
  var lacksRows: Bool { !refused.isEmpty || !waiting.isEmpty }

  mutating func note(_ leftOut: ProtectedRows.LeftOut) {
    kept += leftOut.kept
    if leftOut.hasValues { otherLosses.insert(.keptValue) }
  }

  mutating func note(_ loss: FeedLoss) { otherLosses.insert(loss) }

  /// Adds what was left out while links were made. Links do not count as rows.
  mutating func noteLinks(_ links: BatchOutcome) {
    changed.formUnion(links.changed)
    kept += links.kept
    refused += links.refused
    otherLosses.formUnion(links.otherLosses)
  }

  /// Counts the rows that a transaction wrote of `count` changes.
  ///
  /// - Parameter tables: the tables of the batch. Changes that delete rules made in other tables do
  ///   not count.
  mutating func note(
    _ changes: [TableID: TableChanges], of count: Int, in tables: some Sequence<TableID>
  ) {
    let before = inserted + updated + deleted
    for table in tables {
      if case .reset? = changes[table] { changed.insert(table) }
      guard case .rows(let rows) = changes[table] else { continue }
      let written = inserted + updated
      for row in rows {
        switch (row.change.before, row.change.after) {
        case (nil, _): inserted += 1
        case (_, nil): deleted += 1
        default: updated += 1
        }
      }
      if inserted + updated > written { changed.insert(table) }
    }
    unchanged += max(0, count - (inserted + updated + deleted - before))
  }
}

/// A batch that is being saved while the next batch is made.
package struct BatchSave: Sendable {
  private let submission: Submission<BatchOutcome>

  init(_ submission: Submission<BatchOutcome>) { self.submission = submission }

  /// The outcome of the batch, once it is committed.
  package nonisolated(nonsending) var outcome: BatchOutcome {
    get async throws(StoreError) { try await submission.value }
  }

  /// Withdraws the batch and the other batches of its sequence, unless they have started.
  ///
  /// Their outcome is then an error with code `cancelled`.
  package func withdraw() { submission.withdraw() }
}
