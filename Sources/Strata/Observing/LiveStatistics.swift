/// What a live query has done so far: whom it woke, and what keeping it up to date took.
///
/// A change that touches nothing the query shows, or only attributes that its consumer does not
/// read, adds no wake.
public struct LiveStatistics: Sendable, Hashable, Codable {
  /// How many times observers and streams were told that there is something else to show.
  public internal(set) var wakes = 0
  /// How many updates subscribers have taken, all of them together.
  public internal(set) var updates = 0
  /// How many rows of the result commits have changed.
  public internal(set) var maintainedChanges = 0
  /// How many times the whole result was read from the store, the first time included.
  public internal(set) var loads = 0
  /// How many times only some rows were read: those that changes of other tables concern, and those
  /// that a window lacked.
  public internal(set) var refills = 0
  /// The time that maintaining took, reading included; never on the main actor.
  public internal(set) var maintenance = Duration.zero
}

/// The statistics and the activity of one live query, counted where things happen.
final class LiveCounters: Sendable {
  private let state = Lock(LiveStatistics())
  let activity: ActivityLedger

  /// - Parameter activity: that of the stack.
  init(of activity: ActivityLedger) { self.activity = ActivityLedger(of: activity) }

  var statistics: LiveStatistics { state.withLock { $0 } }

  func count(_ change: @Sendable (inout LiveStatistics) -> Void) { state.withLock { change(&$0) } }
}
