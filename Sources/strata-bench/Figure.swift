import Foundation

/// The samples of one metric, for Strata, for raw SQLite, and for each of the peers.
struct Figure {
  let metric: String
  var strata: [Double] = []
  var raw: [Double] = []
  /// The floors of a metric that starts or ends on the main actor; empty for others.
  var floor: [Double] = []
  /// The samples of the peers, in the order of the benchmark's peers. A peer without the metric has
  /// no samples.
  var peers: [[Double]]

  init(metric: String, peers: Int) {
    self.metric = metric
    self.peers = [[Double]](repeating: [], count: peers)
  }

  var strataMedian: Double { strata.percentile(0.5) }
  var rawMedian: Double { raw.percentile(0.5) }
  var floorMedian: Double { floor.percentile(0.5) }
  var ratio: Double { strataMedian / rawMedian }

  /// The medians of the peers. The median of a peer without the metric is not-a-number.
  var peerMedians: [Double] { peers.map { $0.percentile(0.5) } }
}

extension [Double] {
  /// Returns the sample that a share of the samples does not exceed; not-a-number without samples.
  func percentile(_ share: Double) -> Double {
    if isEmpty { return .nan }
    return sorted()[Swift.min(count - 1, Int(Double(count) * share))]
  }
}

/// A watch that starts when it is made.
struct Stopwatch {
  private let start = ContinuousClock.now

  var milliseconds: Double { start.duration(to: .now) / .milliseconds(1) }
  var microseconds: Double { start.duration(to: .now) / .microseconds(1) }
}
