/// The seeds of a run: a number of them, or all that a duration allows.
struct Seeds: IteratorProtocol {
  private var upcoming: UInt64
  private var left: Int
  private let count: Int
  private let time: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?

  /// - Parameters:
  ///   - count: the number of seeds, unless there is a duration.
  ///   - seconds: the duration of the run in seconds.
  init(from first: UInt64, count: Int, seconds: Double?) {
    upcoming = first
    left = count
    self.count = count
    time = seconds.map { (.now, .now + .seconds($0)) }
  }

  /// The part of the run that was done before the newest seed, from 0 to 1.
  var done: Double {
    guard let time else { return max(0, count - left - 1).share(of: count) }
    return min(1, time.start.duration(to: .now) / time.start.duration(to: time.end))
  }

  mutating func next() -> UInt64? {
    if let time {
      if ContinuousClock.now >= time.end { return nil }
    } else if left <= 0 {
      return nil
    }
    left -= 1
    defer { upcoming &+= 1 }
    return upcoming
  }
}

extension Int {
  /// Returns the number as a part of a whole, from 0 to 1.
  func share(of whole: Int) -> Double { whole > 0 ? Double(self) / Double(whole) : 1 }
}
