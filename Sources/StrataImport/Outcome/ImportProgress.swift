internal import Strata

/// What an import changed.
public struct ImportResult: Sendable, Hashable {
  /// Records read, refused ones included.
  public internal(set) var records = 0
  /// Rows that are new.
  public internal(set) var inserted = 0
  /// Rows with other values than before.
  public internal(set) var updated = 0
  /// Rows that had the values already; neither written nor announced.
  public internal(set) var unchanged = 0
  /// Rows deleted because the feed no longer has them, or says that they are gone.
  public internal(set) var deleted = 0
  /// Rows that stay as they are although the feed has them otherwise, or not at all: somebody
  /// changed them meanwhile, a delete rule keeps them, or they wait to be pushed.
  public internal(set) var kept = 0
  /// Records that were refused and left out.
  public internal(set) var skipped = 0
  /// The first records that were left out, as many as ``ImportOptions/RefusedRecords`` says.
  public internal(set) var refused: [RefusedRecord] = []
  /// The entities of which the feed need not have had every record, so that none of their rows was
  /// absent, each with the reason. Empty unless absent rows were looked for.
  public internal(set) var incompleteEntities: [IncompleteEntity] = []
  /// What the document says beside its records, where the ``JSONDocument`` asks for it; of several
  /// pages that of the last one.
  public internal(set) var members = JSONMembers()
  /// The number of the commit that has everything, the newest one if the store had everything
  /// already; 0 in a child of the view context, whose edits the records become.
  public internal(set) var commit: Int64 = 0
}

/// A record that was left out, and why.
public struct RefusedRecord: Sendable, Hashable, CustomStringConvertible {
  /// What is wrong.
  public let message: String
  /// The number of bytes before the fault, from the start of the input; nil if a rule of the schema
  /// refused the record.
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

/// How far an import has come.
public struct ImportProgress: Sendable, Hashable {
  /// Bytes read so far.
  public internal(set) var bytes = 0
  /// The size of the input in bytes, if it is known.
  public internal(set) var totalBytes: Int?
  /// What has been committed so far; its records are those read.
  public internal(set) var result = ImportResult()
  /// How long the import has run.
  public internal(set) var elapsed = Duration.zero
  /// Where the import could go on if it were interrupted now: only of one source of JSON lines that
  /// is committed in batches.
  public internal(set) var checkpoint: ImportCheckpoint?
  /// Counts the attempts of a refresh.
  var attempt = 0
  /// Counts the changes, so that what one worker says late is not taken for news.
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

  /// How long reading the rest takes at the speed until now; nil if the input's size is not known,
  /// or is such that reading it would take longer than anybody waits.
  public var remaining: Duration? {
    guard let fraction, fraction > 0 else { return nil }
    let seconds = elapsed / .seconds(1) * ((1 - fraction) / fraction)
    // A duration has no room for what a server may say that it sends.
    return seconds < 1e12 ? .seconds(seconds) : nil
  }
}

/// Watches an import from wherever you like.
///
/// ```swift
/// let monitor = ImportMonitor()
/// async let result = stack.importJSON(Song.self, from: file, mapping: Song.json, monitor: monitor)
/// for await progress in monitor.updates { print(progress.fraction ?? 0) }
/// ```
///
/// For one import: another one needs another monitor.
public final class ImportMonitor: Sendable {
  private struct State: Sendable {
    var progress = ImportProgress()
    var isFinished = false
    /// Whether somebody is telling the newest progress; that somebody tells what comes meanwhile.
    var isTelling = false
    var continuations: [AsyncStream<ImportProgress>.Continuation] = []
  }

  private let state = Lock(State())
  private let onProgress: (@Sendable (ImportProgress) -> Void)?

  /// A monitor of nothing yet.
  public init() { onProgress = nil }

  /// A monitor for one of several attempts.
  init(_ onProgress: @escaping @Sendable (ImportProgress) -> Void) { self.onProgress = onProgress }

  /// How far the import has come.
  public var progress: ImportProgress { state.withLock { $0.progress } }

  /// How far the import has come, after every batch; ends with the import.
  ///
  /// Who is slow gets the newest and misses what was before. Any number may watch.
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
    var tells = state.withLock { state in
      guard progress.isNewer(than: state.progress) else { return false }
      state.progress = progress
      defer { state.isTelling = true }
      return !state.isTelling
    }
    while tells {
      let (newest, continuations) = state.withLock { ($0.progress, $0.continuations) }
      for continuation in continuations { continuation.yield(newest) }
      onProgress?(newest)
      tells = state.withLock { state in
        state.isTelling = state.progress.isNewer(than: newest)
        return state.isTelling
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
