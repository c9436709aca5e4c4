internal import Foundation
internal import Strata

/// A worker of an import: bytes → records → batches.
///
/// It makes the next batch while earlier batches are written. A batch may have records of several
/// sources, so that many small sources make few commits. At most two batches are in the writer's
/// queue, so that the writer never waits for a worker to wake up, and a third batch is being made.
/// So memory is bounded, whatever the size of the input.
struct ImportRun {
  private static let queueLimit = 2

  private struct Handed {
    let save: BatchSave
    let batch: RecordBatch
    let end: ImportCheckpoint?
    /// Whether the batch contains waiting rows or held updates of older batches.
    let hasWaited: Bool
  }

  /// Returns the next source; nil after the last source.
  typealias NextSource = @Sendable () async throws(ImportError) -> JSONSource?

  private let session: ImportSession
  private let makeReader: @Sendable () throws(ImportError) -> RecordReader
  /// The context whose edits the records become; nil if the import commits them.
  private let edits: ScratchContext?
  private var records: RecordReader
  private var batch = RecordBatch()
  /// The offset at which the batch begins in the feed; negative if it begins in an earlier source.
  private var batchStart = 0
  private var handed: [Handed] = []
  private let sequence = BatchSequence()
  /// The waiting rows, and deletions that a delete rule has denied so far.
  private var waiting = RecordBatch()
  /// The updates that a later record may take back.
  private var held = HeldUpdates()
  /// Whether a batch has failed, so that a later checkpoint would leave its records out.
  private var lacksBatch = false
  /// Whether the ends of batches are checkpoints. An import that makes links at its end has none.
  private let hasCheckpoints: Bool
  /// The checkpoint at which reading began.
  private let origin: ImportCheckpoint
  private var bytesToSkip: Int
  /// The last byte that was skipped, until the byte after it is checked.
  private var lastSkipped: UInt8?
  private var countedRecords: Int
  private var countedDuplicates = 0

  /// - Parameter hasCheckpoints: whether the feed is the import's only feed, and of JSON lines.
  init(
    _ session: ImportSession, edits: ScratchContext?, hasCheckpoints: Bool,
    _ makeReader: @escaping @Sendable () throws(ImportError) -> RecordReader
  ) throws(ImportError) {
    self.session = session
    self.makeReader = makeReader
    self.edits = edits
    let options = session.options
    origin = options.checkpoint ?? ImportCheckpoint(offset: 0, records: 0, lines: 0)
    bytesToSkip = origin.offset
    countedRecords = origin.records
    records = try makeReader()
    self.hasCheckpoints =
      hasCheckpoints && edits == nil && options.commits == .batched && !records.hasLinks
  }

  /// The records that a worker leaves for the end of the import.
  struct Rest: Sendable {
    var tail: RecordBatch
    var waiting: RecordBatch
  }

  /// Reads sources to their ends.
  ///
  /// - Returns: the last records, which do not fill a batch, and the waiting rows.
  /// - Throws: ``ImportError``, after the batches in the queue are committed or have failed.
  nonisolated(nonsending) mutating func run(
    _ next: NextSource
  ) async throws(ImportError) -> Rest {
    do throws(ImportError) {
      while let source = try await next() {
        do throws(ImportError) { try await read(source) } catch { throw error.of(source.place) }
      }
      while !handed.isEmpty { try await awaitOldest() }
      noteReplaced(held.move(under: &batch))
      try await writeHeld()
      while !handed.isEmpty { try await awaitOldest() }
      return Rest(tail: batch, waiting: waiting)
    } catch {
      // After a failed batch the queued batches are withdrawn, so that none waits for a resumption.
      // After a fault of the input they are saved.
      if lacksBatch { for other in handed { other.save.withdraw() } }
      // The result must count the batches that are being written.
      while !handed.isEmpty { try? await awaitOldest() }
      if !lacksBatch && !Task.isCancelled {
        try? await writeHeld()
        while !handed.isEmpty { try? await awaitOldest() }
      }
      throw error
    }
  }

  private nonisolated(nonsending) mutating func read(
    _ source: JSONSource
  ) async throws(ImportError) {
    if source.isExpectedNoContent { return session.noteMembers(JSONMembers()) }
    batchStart -= records.offset
    records = try makeReader()
    countedRecords = records.count
    countedDuplicates = 0
    var reader = try ChunkReader(source)
    while let chunk = try await reader.next() {
      session.noteRead(bytes: chunk.count)
      try append(chunk)
      try await scan()
    }
    // Cancellation ends most sequences early, so the bytes read are not the whole feed.
    if Task.isCancelled { throw .cancelled }
    if bytesToSkip > 0 { throw .otherInput }
    records.finish()
    try await scan()
    if records.isEmptyInput && session.looksForAbsentRows { throw .emptyInput }
    for (tables, gap) in records.incompleteTables { session.note(gap, of: tables) }
    if let head = source.head { session.note(head, isLines: records.isLines) }
    session.noteMembers(records.members)
    session.noteMembers(records.seenMembers)
  }

  /// Counts the records that were read since the last call.
  private mutating func noteRecords() {
    session.noteRead(
      records: records.count - countedRecords, duplicates: records.duplicates - countedDuplicates)
    (countedRecords, countedDuplicates) = (records.count, records.duplicates)
    if records.hasUnknownValues { session.noteLoss(.unknownValue) }
  }

  private mutating func append(_ chunk: Data) throws(ImportError) {
    let skipped = min(bytesToSkip, chunk.count)
    bytesToSkip -= skipped
    lastSkipped = chunk.prefix(skipped).last ?? lastSkipped
    let rest = chunk.dropFirst(skipped)
    if let last = lastSkipped, let next = rest.first {
      // A record of JSON lines ends with a line feed, or at the end of the earlier input.
      if last != UInt8(ascii: "\n"), next > UInt8(ascii: " ") { throw .otherInput }
      lastSkipped = nil
    }
    rest.withUnsafeBytes { records.append($0) }
  }

  /// Whether no record becomes an edit before all records are read.
  private var holdsEverything: Bool { edits != nil && session.options.commits == .atomic }

  private nonisolated(nonsending) mutating func scan() async throws(ImportError) {
    while try scanRecord() {
      if isFull, !holdsEverything { try await handOver() }
    }
    noteRecords()
  }

  /// The maximum number of bytes of the feed in a batch, without its last record.
  private static let largestBatch = 4 * 1024 * 1024

  private var isFull: Bool {
    batch.count >= session.batchSize || records.offset - batchStart >= Self.largestBatch
  }

  /// Adds the next record that is not refused to the batch.
  ///
  /// - Returns: false if the input so far has no further record.
  private mutating func scanRecord() throws(ImportError) -> Bool {
    while true {
      do throws(ImportError) { return try records.next(into: &batch) } catch {
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
    noteRecords()
    let full = batch
    batch = RecordBatch()
    batchStart = records.offset
    try await save(full)
    try await session.crossOff(full)
  }

  private nonisolated(nonsending) mutating func save(
    _ full: RecordBatch
  ) async throws(ImportError) {
    guard let target = session.target else {
      if let edits { try await session.compose(full, in: edits) }
      return
    }
    if session.options.commits == .atomic {
      try await storing { () throws(StoreError) in try await session.ledger.stage(full) }
      return session.note(BatchOutcome())
    }
    if !held.isOpen { try await writeHeld() }
    while handed.count >= Self.queueLimit { try await awaitOldest() }
    // A later record of a waiting row may have a reference with a target.
    var full = full
    let earlier = waiting.count
    waiting.move(under: &full)
    let replaced = held.move(under: &full)
    noteReplaced(replaced)
    var saving = session.saving
    saving.waits = true
    saving.holdsUpdates = held.isOpen
    let hasWaited = waiting.count < earlier || replaced > 0
    hand(full, saving, to: target, end: checkpoint, hasWaited: hasWaited)
  }

  private mutating func hand(
    _ batch: RecordBatch, _ saving: ImportTarget.Saving, to target: ImportTarget,
    end: ImportCheckpoint?, hasWaited: Bool
  ) {
    var saving = saving
    saving.sequence = sequence
    handed.append(
      Handed(save: target.save(batch, saving), batch: batch, end: end, hasWaited: hasWaited))
  }

  /// Hands the updates that were held back to the writer, in batches.
  private nonisolated(nonsending) mutating func writeHeld() async throws(ImportError) {
    guard !held.isEmpty, let target = session.target else { return }
    var saving = session.saving
    saving.waits = true
    saving.insertsNothing = true
    for portion in held.take().portions(of: session.batchSize) {
      while handed.count >= Self.queueLimit { try await awaitOldest() }
      hand(portion, saving, to: target, end: nil, hasWaited: true)
    }
  }

  /// Counts records that later records of their keys replaced.
  private func noteReplaced(_ count: Int) {
    if count > 0 { session.noteRead(records: 0, duplicates: count) }
  }

  private var checkpoint: ImportCheckpoint? {
    guard hasCheckpoints else { return nil }
    return ImportCheckpoint(
      offset: origin.offset + records.offset, records: records.count,
      lines: origin.lines + records.lines)
  }

  /// Waits for the outcome of the oldest batch in the queue.
  private nonisolated(nonsending) mutating func awaitOldest() async throws(ImportError) {
    let oldest = handed.removeFirst()
    let outcome: BatchOutcome
    do throws(StoreError) { outcome = try await oldest.save.outcome } catch {
      lacksBatch = true
      throw .store(error)
    }
    var (late, updates) = (outcome.waiting, outcome.held)
    for other in handed {
      late.giveWay(to: other.batch)
      updates.giveWay(to: other.batch)
    }
    noteReplaced(outcome.held.count - updates.count)
    waiting.compose(late)
    noteReplaced(held.hold(updates))
    // An import that goes on at a checkpoint must not miss waiting rows, held updates or failed
    // batches.
    let isWhole =
      waiting.isEmpty && held.isEmpty && !lacksBatch && !handed.contains(where: \.hasWaited)
    let end = isWhole ? oldest.end : nil
    session.note(outcome, upTo: end)
  }
}
