internal import Foundation
internal import Strata

/// A worker of an import: bytes → records → batches, the next one made while others are written.
///
/// At most two batches are on their way to the writer, so that it never waits for a worker to wake
/// up, and one is being made: memory is bounded whatever the size of the input.
struct ImportRun {
  private static let queueLimit = 2

  private struct Handed {
    let save: BatchSave
    let batch: RecordBatch
    let end: ImportCheckpoint?
  }

  private let session: ImportSession
  /// The context whose edits the records become, if they are not committed.
  private let edits: ScratchContext?
  private var feed: RecordFeed
  private var batch = RecordBatch()
  private var handed: [Handed] = []
  /// Records that refer to what was not there when they were written.
  private var waiting = RecordBatch()
  /// Whether a batch is not in the store, so that going on behind it would leave it out.
  private var lacksBatch = false
  /// Whether the import can go on at the end of a batch.
  private let hasCheckpoints: Bool
  /// Where reading began.
  private let origin: ImportCheckpoint
  private var bytesToSkip: Int
  private var countedRecords: Int

  /// - Parameter hasCheckpoints: whether the feed is the import's only one, and of JSON lines.
  init(
    _ session: ImportSession, _ feed: RecordFeed, edits: ScratchContext?, hasCheckpoints: Bool
  ) {
    self.session = session
    self.edits = edits
    let options = session.options
    origin = options.checkpoint ?? ImportCheckpoint(offset: 0, records: 0, lines: 0)
    bytesToSkip = origin.offset
    countedRecords = origin.records
    self.hasCheckpoints = hasCheckpoints && edits == nil && options.commits == .batched
    self.feed = feed
  }

  /// What a worker leaves for the end of the import.
  struct Rest: Sendable {
    var tail: RecordBatch
    var waiting: RecordBatch
  }

  /// Reads a whole source; its last records, which do not fill a batch, are returned.
  ///
  /// - Throws: ``ImportError``, after what was on its way is committed or has failed.
  nonisolated(nonsending) mutating func run(
    _ source: JSONSource
  ) async throws(ImportError) -> Rest {
    do throws(ImportError) {
      try await read(source)
      while !handed.isEmpty { try await settle() }
      return Rest(tail: batch, waiting: waiting)
    } catch {
      // Behind a batch that failed nothing shall come; what was read before a fault shall.
      if lacksBatch { for other in handed { other.save.withdraw() } }
      // What is being written is finished, so that the result says what is in the store.
      while !handed.isEmpty { try? await settle() }
      throw error
    }
  }

  private nonisolated(nonsending) mutating func read(
    _ source: JSONSource
  ) async throws(ImportError) {
    var reader = try ChunkReader(source)
    session.noteSource(bytes: reader.totalBytes)
    while let chunk = try await reader.next() {
      session.noteRead(bytes: chunk.count)
      try append(chunk)
      try await scan()
    }
    // Cancelling ends many a sequence: what was read then is not the whole feed.
    if Task.isCancelled { throw .cancelled }
    if bytesToSkip > 0 { throw .otherInput }
    feed.finish()
    try await scan()
  }

  private mutating func append(_ chunk: Data) throws(ImportError) {
    let skipped = min(bytesToSkip, chunk.count)
    bytesToSkip -= skipped
    let rest = chunk.dropFirst(skipped)
    // A record of JSON lines ends at white space.
    if skipped > 0, let next = rest.first, next > UInt8(ascii: " ") { throw .otherInput }
    rest.withUnsafeBytes { feed.append($0) }
  }

  private nonisolated(nonsending) mutating func scan() async throws(ImportError) {
    while try scanRecord() {
      if batch.count >= session.batchSize { try await handOver() }
    }
    session.noteRead(records: feed.count - countedRecords)
    countedRecords = feed.count
  }

  /// Adds the next record that is not refused to the batch; false if there is none yet.
  private mutating func scanRecord() throws(ImportError) -> Bool {
    while true {
      do throws(ImportError) { return try feed.next(into: &batch) } catch {
        let error = error.moved(by: origin)
        guard error.isOfOneRecord, session.skipsRefused else { throw error }
        session.noteRefused(RefusedRecord(error))
      }
    }
  }

  // MARK: Saving

  /// Hands the batch to the writer, as soon as there is room in the queue.
  private nonisolated(nonsending) mutating func handOver() async throws(ImportError) {
    if Task.isCancelled { throw .cancelled }
    session.noteRead(records: feed.count - countedRecords)
    countedRecords = feed.count
    let full = batch
    batch = RecordBatch()
    try await save(full)
    try await session.crossOff(full)
  }

  private nonisolated(nonsending) mutating func save(
    _ full: RecordBatch
  ) async throws(ImportError) {
    guard let target = session.target else {
      edits?.compose(full)
      return
    }
    if session.options.commits == .atomic, let ledger = session.ledger {
      try await storing { () throws(StoreError) in try await ledger.stage(full) }
      return session.note(BatchOutcome())
    }
    while handed.count >= Self.queueLimit { try await settle() }
    // A later record of a key wins.
    waiting.subtract(full)
    var saving = ImportTarget.Saving()
    saving.waits = true
    saving.skipsRefused = session.skipsRefused
    handed.append(Handed(save: target.save(full, saving), batch: full, end: checkpoint))
  }

  private var checkpoint: ImportCheckpoint? {
    guard hasCheckpoints else { return nil }
    return ImportCheckpoint(
      offset: origin.offset + feed.offset, records: feed.count, lines: origin.lines + feed.lines)
  }

  /// Waits for the oldest batch on its way.
  private nonisolated(nonsending) mutating func settle() async throws(ImportError) {
    let oldest = handed.removeFirst()
    let outcome: BatchOutcome
    do throws(StoreError) { outcome = try await oldest.save.outcome } catch {
      lacksBatch = true
      throw .store(error)
    }
    waiting.compose(outcome.waiting)
    for other in handed { waiting.subtract(other.batch) }
    waiting.subtract(batch)
    // What waits would be missing if the import went on behind it.
    let end = waiting.isEmpty && !lacksBatch ? oldest.end : nil
    session.note(outcome, of: oldest.batch.count, upTo: end)
  }
}
