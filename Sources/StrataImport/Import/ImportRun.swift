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
  private let mapper: RecordMapper
  private let report: (@Sendable (ImportProgress) -> Void)?
  private var scanner: JSONRecordScanner
  private var row = JSONRow()
  private var batch: RecordBatch
  private var inFlight: (save: BatchSave, count: Int)?
  private var progress = ImportProgress()
  /// Every key of the feed, if absent rows are to be deleted.
  private var seen: Set<RecordKey>?

  init(
    _ scratch: ScratchContext, _ mapper: RecordMapper, _ format: JSONFormat,
    deletesAbsent: Bool, _ report: (@Sendable (ImportProgress) -> Void)?
  ) {
    self.scratch = scratch
    self.mapper = mapper
    self.report = report
    scanner = JSONRecordScanner(format, plan: mapper.plan)
    batch = RecordBatch(mapper.table)
    seen = deletesAbsent ? [] : nil
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
      if seen != nil { try await deleteAbsent() }
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
    if seen != nil { try await storing { scratch throws(StoreError) in try await scratch.pin() } }
    var reader = try ChunkReader(source)
    progress.totalBytes = reader.totalBytes
    while let chunk = try await reader.next() {
      progress.bytes += chunk.count
      chunk.withUnsafeBytes { scanner.append($0) }
      try await scan()
    }
    // Cancelling ends many a sequence: what was read then is not the whole feed.
    if Task.isCancelled { throw .cancelled }
    scanner.finish()
    try await scan()
  }

  private nonisolated(nonsending) mutating func scan() async throws(ImportError) {
    while try scanRecord() {
      if batch.count >= Self.batchSize { try await flush() }
    }
  }

  /// Adds the next record to the batch; false if there is none yet.
  private mutating func scanRecord() throws(ImportError) -> Bool {
    do throws(JSONScanError) {
      guard try scanner.next(&row) else { return false }
    } catch {
      throw .scan(error)
    }
    do throws(RecordMapper.Refusal) {
      let (record, attributes) = try mapper.record(row, position: progress.result.records)
      batch.add(record, attributes: attributes)
      seen?.insert(record.key(Table.keyColumn))
    } catch {
      let path = mapper.plan.columns[error.slot].path
      throw .refused(error.error, path: path, at: scanner.location(of: row))
    }
    progress.result.records += 1
    return true
  }

  // MARK: Saving

  /// Hands the batch to the writer, once the one before is committed.
  private nonisolated(nonsending) mutating func flush() async throws(ImportError) {
    try await settle()
    if Task.isCancelled { throw .cancelled }
    if batch.count == 0 { return }
    if let save = scratch.save(batch) { inFlight = (save, batch.count) }
    batch = RecordBatch(mapper.table)
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
    let table = mapper.table
    let stored = try await storing { scratch throws(StoreError) in
      try await scratch.storedRecords(of: table)
    }
    scratch.unpin()
    for record in stored where seen?.contains(record.key(Table.keyColumn)) == false {
      batch.delete(record)
      if batch.count >= Self.batchSize { try await deleteBatch() }
    }
    try await deleteBatch()
  }

  /// Saves the deletions of the batch, without those that somebody else has been faster with.
  private nonisolated(nonsending) mutating func deleteBatch() async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    defer { batch = RecordBatch(mapper.table) }
    while batch.count > 0 {
      guard let save = scratch.save(batch) else { return }
      do throws(StoreError) {
        note(try await save.outcome, of: batch.count)
        return
      } catch {
        guard error.code == .conflict else { throw .store(error) }
        // Somebody changed these rows meanwhile: they stay.
        batch.remove(error.keys)
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
