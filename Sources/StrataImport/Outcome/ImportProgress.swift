internal import Strata

/// The changes that an import made.
///
/// ```swift
/// let result = try await stack.importJSON(Song.self, from: file, mapping: Song.json)
/// print(result.inserted, result.updated, result.deleted, result.unchanged)
/// ```
public struct ImportResult: Sendable, Hashable, CustomStringConvertible {
  /// The number of records read, including refused records.
  public internal(set) var records = 0
  /// The number of inserted rows.
  public internal(set) var inserted = 0
  /// The number of rows that got other values.
  public internal(set) var updated = 0
  /// The number of rows that had the values already. They are neither written nor reported.
  public internal(set) var unchanged = 0
  /// The number of records that a later record of the same key replaced before they were written.
  ///
  /// These are records of one batch, and updates that were held back. A record that an earlier batch
  /// wrote counts as written.
  public internal(set) var duplicates = 0
  /// The JSON paths of members that the mapping reads and that no record of the feed had.
  ///
  /// The name of such a member may be misspelt. The array is empty if there was no record.
  public internal(set) var missingMembers: [String] = []
  /// The number of rows deleted, because the feed lacks them or marks them as deleted.
  public internal(set) var deleted = 0
  /// The number of rows that stay as they are although the feed has other values or lacks them.
  ///
  /// These rows were changed meanwhile, are kept by a delete rule, wait to be pushed, are ``unsent``, or
  /// cannot be stored because of an edit that waits.
  public internal(set) var kept = 0
  /// The number of absent rows, and of rows with a tombstone, that stay because no server has ever sent them.
  ///
  /// They were made here before the store had an outbox. `Outbox.add(_:)` makes them wait to be pushed.
  /// In a store without an outbox all absent rows are deleted.
  public internal(set) var unsent = 0
  /// The number of links to rows that the store does not have.
  ///
  /// These links are of ``NestedKeys``, which says which of them wait in the store and are made when
  /// their rows come. Links that waited before the import and that the feed names count again.
  public internal(set) var waitingLinks = 0
  /// The number of records that were refused and left out.
  public internal(set) var skipped = 0
  /// The first records that were left out, up to the limit of ``ImportOptions/RefusedRecords``.
  public internal(set) var refused: [RefusedRecord] = []
  /// The entities whose absent rows were kept, because the feed may lack records of them.
  ///
  /// Each element has the reason. The array is empty unless the import deletes absent rows.
  public internal(set) var incompleteEntities: [IncompleteEntity] = []
  /// The values beside the records that the ``JSONDocument`` keeps.
  ///
  /// If the feed has several pages, they are the values of the last page.
  public internal(set) var members = JSONMembers()
  /// The number of the commit that has all records.
  ///
  /// It is the newest commit if the store had all records already. It is 0 in a child of the view
  /// context, where records become edits.
  public internal(set) var commit: Int64 = 0

  /// The numbers that are not zero.
  public var description: String {
    let counts = [
      (inserted, "inserted"), (updated, "updated"), (unchanged, "unchanged"), (deleted, "deleted"),
      (kept, "kept"), (unsent, "unsent"), (skipped, "skipped"), (duplicates, "duplicates"),
      (waitingLinks, "links wait"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return "\(records) records" + (words.isEmpty ? "" : ": " + words.joined(separator: ", "))
  }
}

/// A record that was left out, and the reason.
///
/// ```swift
/// var options = ImportOptions()
/// options.refusedRecords = .skip()
/// let result = try await stack.importJSON(
///   Song.self, from: file, mapping: Song.json, options: options)
/// for record in result.refused { print(record.line ?? 0, record.message) }
/// ```
public struct RefusedRecord: Sendable, Hashable, CustomStringConvertible {
  /// A description of the fault.
  public let message: String
  /// The number of bytes before the fault, from the start of the input.
  ///
  /// It is nil if the store refused the record, for example by a rule of the schema.
  public let offset: Int?
  /// The fault's line, from 1.
  public let line: Int?
  /// The fault's column, from 1, in bytes.
  public let column: Int?
  /// The JSON path of the value.
  public let path: String?
  /// The offending text, shortened.
  public let found: String?

  public var description: String { message }

  init(_ error: ImportError) {
    message = error.message
    offset = error.offset
    line = error.line
    column = error.column
    path = error.path
    found = error.found
  }

  init(_ message: String) {
    self.message = message
    (offset, line, column, path, found) = (nil, nil, nil, nil, nil)
  }
}

/// The progress of an import.
///
/// ```swift
/// let monitor = ImportMonitor()
/// async let result = stack.importJSON(Song.self, from: file, mapping: Song.json, monitor: monitor)
/// for await progress in monitor.updates { print(progress.fraction ?? 0, progress.bytes) }
/// print(try await result.records)
/// ```
public struct ImportProgress: Sendable, Hashable {
  /// The number of bytes read so far.
  public internal(set) var bytes = 0
  /// The size of the input in bytes, if it is known.
  public internal(set) var totalBytes: Int?
  /// The changes committed so far. Its `records` counts all records read.
  public internal(set) var result = ImportResult()
  /// The time since the import began.
  public internal(set) var elapsed = Duration.zero
  /// The checkpoint at which the import could go on if it were interrupted.
  ///
  /// Only an import of a single source of JSON lines that commits in batches has a checkpoint.
  public internal(set) var checkpoint: ImportCheckpoint?
  /// The number of the refresh's attempt.
  var attempt = 0
  /// Counts the changes of the progress. A worker's late report has a lower number than the newest.
  var number = 0

  func isNewer(than other: Self) -> Bool {
    (attempt, number) > (other.attempt, other.number)
  }

  /// The part of the input that was read, from 0 to 1; nil if its size is not known.
  public var fraction: Double? {
    totalBytes.map { $0 == 0 ? 1 : min(1, Double(bytes) / Double($0)) }
  }

  /// Records read per second, since the beginning.
  public var recordsPerSecond: Double {
    let seconds = elapsed / .seconds(1)
    return seconds > 0 ? Double(result.records) / seconds : 0
  }

  /// The estimated time for the rest of the input, at the speed so far.
  ///
  /// It is nil if the input's size is not known, or if the estimate exceeds 10^12 seconds.
  public var remaining: Duration? {
    guard let fraction, fraction > 0 else { return nil }
    let seconds = elapsed / .seconds(1) * ((1 - fraction) / fraction)
    // A server may claim a size for which the time does not fit a `Duration`.
    return seconds < 1e12 ? .seconds(seconds) : nil
  }
}

/// An observer of an import's progress, usable from any isolation.
///
/// ```swift
/// let monitor = ImportMonitor()
/// async let result = stack.importJSON(Song.self, from: file, mapping: Song.json, monitor: monitor)
/// for await progress in monitor.updates { print(progress.fraction ?? 0) }
/// ```
///
/// A monitor serves one import. Create a new monitor for each import.
public final class ImportMonitor: Sendable {
  private struct State: Sendable {
    var progress = ImportProgress()
    var isFinished = false
    /// Whether a call of `publish` is yielding. That call also yields progress that is newer.
    var isReporting = false
    var continuations: [AsyncStream<ImportProgress>.Continuation] = []
  }

  private let state = Lock(State())
  private let onProgress: (@Sendable (ImportProgress) -> Void)?

  /// Creates a monitor that has not been passed to an import.
  public init() { onProgress = nil }

  /// Creates a monitor for one of several attempts. It passes each progress to `onProgress`.
  init(_ onProgress: @escaping @Sendable (ImportProgress) -> Void) { self.onProgress = onProgress }

  /// The newest progress of the import.
  public var progress: ImportProgress { state.withLock { $0.progress } }

  /// The progress of the import after every batch; the sequence ends with the import.
  ///
  /// A slow consumer misses older elements and gets the newest. Any number of consumers may
  /// iterate.
  public var updates: AsyncStream<ImportProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ImportProgress.self, bufferingPolicy: .bufferingNewest(1))
    let isFinished = state.withLock { state in
      if !state.isFinished { state.continuations.append(continuation) }
      continuation.yield(state.progress)
      return state.isFinished
    }
    if isFinished { continuation.finish() }
    return stream
  }

  func publish(_ progress: ImportProgress) {
    var reports = state.withLock { state in
      guard progress.isNewer(than: state.progress) else { return false }
      state.progress = progress
      defer { state.isReporting = true }
      return !state.isReporting
    }
    while reports {
      let (newest, continuations) = state.withLock { ($0.progress, $0.continuations) }
      for continuation in continuations { continuation.yield(newest) }
      onProgress?(newest)
      reports = state.withLock { state in
        state.isReporting = state.progress.isNewer(than: newest)
        return state.isReporting
      }
    }
  }

  func finish() {
    let continuations = state.withLock { state in
      defer { state.continuations = [] }
      state.isFinished = true
      return state.continuations
    }
    for continuation in continuations { continuation.finish() }
  }
}
