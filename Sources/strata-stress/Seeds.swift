/// The seeds of a run: a number of them, or as many as a duration allows.
struct Seeds: IteratorProtocol {
  private var upcoming: UInt64
  private var left: Int
  private let count: Int
  private let time: (start: ContinuousClock.Instant, end: ContinuousClock.Instant)?

  /// Creates the seeds of a run, which ends with the first of its limits.
  ///
  /// - Parameters:
  ///   - count: the number of seeds; nil for no limit.
  ///   - seconds: the duration of the run in seconds; nil for no limit.
  init(from first: UInt64, count: Int?, seconds: Double?) {
    upcoming = first
    self.count = count ?? .max
    left = self.count
    time = seconds.map { (.now, .now + .seconds($0)) }
  }

  /// The part of the run that was done before the newest seed, from 0 to 1.
  var done: Double {
    let ofSeeds = max(0, count - left - 1).share(of: count)
    guard let time else { return ofSeeds }
    let ofTime = time.start.duration(to: .now) / time.start.duration(to: time.end)
    return min(1, max(ofSeeds, ofTime))
  }

  mutating func next() -> UInt64? {
    if left <= 0 { return nil }
    if let time, ContinuousClock.now >= time.end { return nil }
    left -= 1
    defer { upcoming &+= 1 }
    return upcoming
  }
}

extension Int {
  /// Returns the number as a part of a whole, from 0 to 1.
  func share(of whole: Int) -> Double { whole > 0 ? Double(self) / Double(whole) : 1 }
}
