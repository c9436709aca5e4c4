/// A read that was run again and again with other values, each time by itself: the N+1 pattern.
public struct RepeatedRead: Sendable, Hashable, CustomStringConvertible {
  /// The entity that was read.
  public let entity: String
  /// The statement, without values; nil for entities found by key.
  public let sql: String?
  /// The length of the longest run: so many reads, none of which came long after the one before.
  public internal(set) var count: Int

  /// What was done, and what to do instead.
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
  /// A run of so many is one too many.
  private static let limit = 10
  /// A longer pause ends a run: a user who taps every second is no loop.
  static let pause = Duration.milliseconds(100)
  /// More shapes than this are not told apart.
  private static let capacity = 256

  /// What is the same in every read of a run.
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
        // The same values again are another matter: two views show one thing.
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
