import Foundation

/// The samples of one metric, for Strata and for raw SQLite.
struct Figure {
  let metric: String
  var strata: [Double] = []
  var raw: [Double] = []

  var strataMedian: Double { strata.percentile(0.5) }
  var rawMedian: Double { raw.percentile(0.5) }
  var ratio: Double { strataMedian / rawMedian }
}

extension [Double] {
  /// The sample that a share of the samples does not exceed; not-a-number of none.
  func percentile(_ share: Double) -> Double {
    if isEmpty { return .nan }
    return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }
}

/// Time since it was made.
struct Stopwatch {
  private let start = ContinuousClock.now

  var milliseconds: Double { start.duration(to: .now) / .milliseconds(1) }
  var microseconds: Double { start.duration(to: .now) / .microseconds(1) }
}
