/// The wakes of a live query so far, and the cost of keeping it up to date.
///
/// A change adds no wake if it touches nothing that the query shows, or only attributes that the
/// query's consumer does not read.
///
/// ```swift
/// let songs = view.live(Song.sorted(by: \.title))
/// print(songs.statistics.wakes, songs.statistics.loads)
/// ```
public struct LiveStatistics: Sendable, Hashable, Codable {
  /// The number of times that observers and streams were notified of something new to show.
  public internal(set) var wakes = 0
  /// The number of updates that all subscribers together have taken.
  public internal(set) var updates = 0
  /// The number of rows of the result that commits have changed.
  public internal(set) var maintainedChanges = 0
  /// The number of times the whole result was read from the store, including the first time.
  public internal(set) var loads = 0
  /// The number of times only some rows were read: rows that changes of other tables concern, or
  /// rows that a window lacked.
  public internal(set) var refills = 0
  /// The time that maintenance took, reading included; it never runs on the main actor.
  public internal(set) var maintenance = Duration.zero
}

/// The statistics and the activity of one live query, counted where the events happen.
final class LiveCounters: Sendable {
  private let state = Lock(LiveStatistics())
  let activity: ActivityLedger

  /// - Parameter activity: the ledger of the stack.
  init(of activity: ActivityLedger) { self.activity = ActivityLedger(of: activity) }

  var statistics: LiveStatistics { state.withLock { $0 } }

  func count(_ change: @Sendable (inout LiveStatistics) -> Void) { state.withLock { change(&$0) } }
}
