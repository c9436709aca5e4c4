/// The seeds of a run: a number of them, or all that a duration allows.
struct Seeds: Sequence, IteratorProtocol {
  private var upcoming: UInt64
  private var left: Int
  private let end: ContinuousClock.Instant?

  /// - Parameters:
  ///   - count: the number of seeds, unless there is a duration.
  ///   - seconds: the duration of the run in seconds.
  init(from first: UInt64, count: Int, seconds: Double?) {
    upcoming = first
    left = count
    end = seconds.map { ContinuousClock.now + .seconds($0) }
  }

  mutating func next() -> UInt64? {
    if let end {
      if ContinuousClock.now >= end { return nil }
    } else if left <= 0 {
      return nil
    }
    left -= 1
    defer { upcoming &+= 1 }
    return upcoming
  }
}
