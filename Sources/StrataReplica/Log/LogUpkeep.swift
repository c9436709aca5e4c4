internal import Strata

/// The time at which a replica has pruned its server's log, over whatever connection.
package final class LogUpkeep: Sendable {
  private let prunedAt = Lock<ContinuousClock.Instant?>(nil)

  package init() {}

  /// Returns whether the log is to be pruned now, which is so once an hour.
  func isDue(at now: ContinuousClock.Instant) -> Bool {
    prunedAt.withLock { prunedAt in
      if let prunedAt, now - prunedAt < .seconds(3_600) { return false }
      prunedAt = now
      return true
    }
  }
}
