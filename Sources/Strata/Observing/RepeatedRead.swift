/// A read that ran many times in a row with different values: the N+1 pattern.
///
/// ```swift
/// for read in stack.repeatedReads { print(read) }
/// ```
public struct RepeatedRead: Sendable, Hashable, CustomStringConvertible {
  /// The entity that was read.
  public let entity: String
  /// The statement, without values; nil for a read by key.
  public let sql: String?
  /// The number of reads in the longest run; a long pause between two reads ends a run.
  public internal(set) var count: Int

  /// A text that names the repeated read and says how to avoid it.
  public var description: String {
    if sql == nil {
      return "\(entity) was found by key \(count) times in a row; "
        + "find all of them with one find(\(entity).self, keys), or fetch(query, with: relationship)"
    }
    return "the same query for \(entity) was run \(count) times in a row with other values; "
      + "ask once with isIn(values), or fetch(query, with: relationship): \(sql ?? "")"
  }
}

/// Counts reads of one shape that follow each other closely.
final class RepeatedReads: Sendable {
  /// A run of at least this many reads is reported.
  private static let limit = 10
  /// A longer pause ends a run: a user who taps every second is not a loop.
  static let pause = Duration.milliseconds(100)
  /// The number of shapes that are kept; a full table drops its shapes below the limit.
  ///
  /// If that frees no room, a new shape is not counted.
  private static let capacity = 256

  /// The part that all reads of a run share.
  enum Shape: Sendable, Hashable {
    case key(TableID)
    case query(String)
  }

  private struct Run: Sendable {
    var read: RepeatedRead
    var length = 1
    var last: ContinuousClock.Instant
    /// The values of the last read.
    var values: [Cell]
  }

  private let runs = Lock<[Shape: Run]>([:])
  private let pause: Duration

  init(pause: Duration = RepeatedReads.pause) { self.pause = pause }

  func note(
    _ shape: Shape, _ values: [Cell], of table: Table, at now: ContinuousClock.Instant = .now
  ) {
    runs.withLock { runs in
      guard var run = runs[shape] else {
        if runs.count >= Self.capacity { runs = runs.filter { $0.value.read.count >= Self.limit } }
        if runs.count >= Self.capacity { return }
        var sql: String?
        if case .query(let text) = shape { sql = text }
        runs[shape] = Run(
          read: RepeatedRead(entity: table.entity, sql: sql, count: 1), last: now, values: values)
        return
      }
      if now - run.last > pause {
        run.length = 1
      } else if run.values != values {
        // A read with the same values does not count: two views may show the same rows.
        run.length += 1
      }
      run.read.count = max(run.read.count, run.length)
      run.last = now
      run.values = values
      runs[shape] = run
    }
  }

  var found: [RepeatedRead] {
    runs.withLock { runs in runs.values.map(\.read).filter { $0.count >= Self.limit } }
      .sorted { $0.count > $1.count }
  }
}
