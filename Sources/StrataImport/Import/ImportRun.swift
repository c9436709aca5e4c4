internal import Foundation
internal import Strata

/// One import: bytes → rows → records → batches, the next batch made while the last is written.
///
/// At most one batch is on its way to the writer and one is being made, so memory is bounded
/// whatever the size of the input.
struct ImportRun {
  /// Records a batch: a transaction of some milliseconds, so a save of the view context that comes
  /// in between waits no longer.
  static let batchSize = 2000

  private let scratch: ScratchContext
  private let report: (@Sendable (ImportProgress) -> Void)?
  private var feed: RecordFeed
  private var batch = RecordBatch()
  private var inFlight: (save: BatchSave, count: Int)?
  private var progress = ImportProgress()
  private let deletesAbsent: Bool
  /// Every key of the feed by table, if absent rows are to be deleted.
  private var seen: [Set<RecordKey>]

  init(
    _ scratch: ScratchContext, _ feed: RecordFeed, deletesAbsent: Bool,
    _ report: (@Sendable (ImportProgress) -> Void)?
  ) {
    self.scratch = scratch
    self.feed = feed
    self.report = report
    self.deletesAbsent = deletesAbsent
    seen = feed.tables.map { _ in [] }
  }

  /// Imports the whole source.
  ///
  /// - Throws: ``ImportError``, after the batch on its way has been committed or has failed, with
  ///   what was committed until then.
  nonisolated(nonsending) mutating func run(
    _ source: JSONSource
  ) async throws(ImportError) -> ImportResult {
    let activity = scratch.activityLedger
    activity.begin(.importing)
    defer {
      activity.end(.importing)
      // Also after a failure: a pin that is kept keeps the log from starting again.
      scratch.unpin()
    }
    do throws(ImportError) {
      try await read(source)
      try await flush()
      try await settle()
      if deletesAbsent { try await deleteAbsent() }
      return progress.result
    } catch {
      var error = error
      // What is on its way is finished, so that the result says what is in the store.
      try? await settle()
      error.result = progress.result
      throw error
    }
  }

  private nonisolated(nonsending) mutating func read(
    _ source: JSONSource
  ) async throws(ImportError) {
    // What existed at the start is what may be absent.
    scratch.unpin()
    if deletesAbsent { try await storing { scratch throws(StoreError) in try await scratch.pin() } }
    var reader = try ChunkReader(source)
    progress.totalBytes = reader.totalBytes
    while let chunk = try await reader.next() {
      progress.bytes += chunk.count
      chunk.withUnsafeBytes { feed.append($0) }
      try await scan()
    }
    // Cancelling ends many a sequence: what was read then is not the whole feed.
    if Task.isCancelled { throw .cancelled }
    feed.finish()
    try await scan()
  }

  private nonisolated(nonsending) mutating func scan() async throws(ImportError) {
    while try feed.next(into: &batch) {
      progress.result.records = feed.count
      if batch.count >= Self.batchSize { try await flush() }
    }
  }

  // MARK: Saving

  /// Hands the batch to the writer, once the one before is committed.
  private nonisolated(nonsending) mutating func flush() async throws(ImportError) {
    try await settle()
    if Task.isCancelled { throw .cancelled }
    if batch.count == 0 { return }
    noteSeen()
    if let save = scratch.save(batch) { inFlight = (save, batch.count) }
    batch = RecordBatch()
  }

  private mutating func noteSeen() {
    if !deletesAbsent { return }
    for (index, table) in feed.tables.enumerated() { seen[index].formUnion(batch.keys(of: table)) }
  }

  /// Waits for the batch on its way.
  private nonisolated(nonsending) mutating func settle() async throws(ImportError) {
    guard let (save, count) = inFlight else { return }
    inFlight = nil
    do throws(StoreError) {
      note(try await save.outcome, of: count)
    } catch {
      throw .store(error)
    }
  }

  private mutating func note(_ outcome: BatchOutcome, of count: Int) {
    progress.result.inserted += outcome.inserted
    progress.result.updated += outcome.updated
    progress.result.deleted += outcome.deleted
    progress.result.unchanged += max(
      0, count - outcome.inserted - outcome.updated - outcome.deleted)
    progress.result.commit = outcome.commit
    report?(progress)
  }

  /// Deletes what existed at the start, is not in the feed, and was not changed since.
  private nonisolated(nonsending) mutating func deleteAbsent() async throws(ImportError) {
    for (index, table) in feed.tables.enumerated() {
      let stored = try await storing { scratch throws(StoreError) in
        try await scratch.storedRecords(of: table)
      }
      for record in stored where !seen[index].contains(record.key(Table.keyColumn)) {
        batch.delete(record, from: table)
        if batch.count >= Self.batchSize { try await deleteBatch(from: table) }
      }
      try await deleteBatch(from: table)
    }
    scratch.unpin()
  }

  /// Saves the deletions of the batch, without those that somebody else has been faster with.
  private nonisolated(nonsending) mutating func deleteBatch(
    from table: Table
  ) async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    defer { batch = RecordBatch() }
    while batch.count > 0 {
      guard let save = scratch.save(batch) else { return }
      do throws(StoreError) {
        note(try await save.outcome, of: batch.count)
        return
      } catch {
        guard error.code == .conflict else { throw .store(error) }
        // Somebody changed these rows meanwhile: they stay.
        batch.remove(error.keys, from: table)
        progress.result.kept += error.keys.count
      }
    }
  }

  private nonisolated(nonsending) func storing<R>(
    _ body: nonisolated(nonsending) (ScratchContext) async throws(StoreError) -> R
  ) async throws(ImportError) -> R {
    do throws(StoreError) { return try await body(scratch) } catch { throw .store(error) }
  }
}
