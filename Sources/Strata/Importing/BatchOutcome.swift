/// What became of a batch.
package struct BatchOutcome: Sendable {
  /// The commit that has the batch: a new one, or the newest if nothing differed from the store.
  package var commit: Int64 = 0
  package var inserted = 0
  package var updated = 0
  package var deleted = 0
  /// Rows that were there as the feed has them.
  package var unchanged = 0
  /// Rows that stay as they are: somebody changed them, or they wait to be pushed.
  package var kept = 0
  /// What refers to rows that are not there yet, and was not written.
  package var waiting = RecordBatch()
  /// Rows that break rules of the schema, if they were to be left out.
  package var refused: [ValidationFailure] = []
  /// Whether values of other rows were left out, which wait to be pushed.
  package var leftOutValues = false
  /// Whether the commit has marked what was imported.
  package var isMarked = false
  /// How long the writer was held.
  package var duration = Duration.zero

  package init() {}

  /// Whether the store has everything that was to be written, but for what waits.
  package var isComplete: Bool { kept == 0 && refused.isEmpty && !leftOutValues }

  mutating func note(_ leftOut: UnpushedRows.LeftOut) {
    kept += leftOut.kept
    leftOutValues = leftOutValues || leftOut.hasValues
  }

  /// Counts what a transaction wrote of `count` changes.
  ///
  /// - Parameter tables: what delete rules did in other tables is not what the batch was about.
  mutating func note(
    _ changes: [TableID: TableChanges], of count: Int, in tables: some Sequence<TableID>
  ) {
    let before = inserted + updated + deleted
    for table in tables {
      guard case .rows(let rows) = changes[table] else { continue }
      for row in rows {
        switch (row.change.before, row.change.after) {
        case (nil, _): inserted += 1
        case (_, nil): deleted += 1
        default: updated += 1
        }
      }
    }
    unchanged += max(0, count - (inserted + updated + deleted - before))
  }
}

/// A batch that is being saved while the next one is made.
package struct BatchSave: Sendable {
  private let submission: Submission<BatchOutcome>

  init(_ submission: Submission<BatchOutcome>) { self.submission = submission }

  /// What became of the batch, once it is committed.
  package nonisolated(nonsending) var outcome: BatchOutcome {
    get async throws(StoreError) { try await submission.value }
  }

  /// Takes the batch back if it has not started, and those of its sequence that have not; their
  /// outcome is then an error with code `cancelled`.
  package func withdraw() { submission.withdraw() }
}
