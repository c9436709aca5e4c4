internal import Strata

/// The waits between attempts to reach a server: twice as long each time, with chance in them.
///
/// Chance keeps many replicas from coming back at the same moment.
struct Backoff {
  private static let first = Duration.milliseconds(100)
  private static let longest = Duration.seconds(30)
  private var attempts = 0
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// Returns the wait before the next attempt, between half of the full wait and all of it.
  mutating func next() -> Duration {
    let full = Self.first.doubled(attempts, atMost: Self.longest)
    attempts += 1
    return full * Double.random(in: 0.5..<1, using: &random)
  }

  /// Notes a success: the next wait is short again.
  mutating func reset() { attempts = 0 }
}
