import Foundation

/// The samples of one metric, for Strata, for raw SQLite, and for each of the peers.
struct Figure {
  let metric: String
  var strata: [Double] = []
  var raw: [Double] = []
  /// In the order of the benchmark's peers; empty for one that does not have the metric.
  var peers: [[Double]]

  init(metric: String, peers: Int) {
    self.metric = metric
    self.peers = [[Double]](repeating: [], count: peers)
  }

  var strataMedian: Double { strata.percentile(0.5) }
  var rawMedian: Double { raw.percentile(0.5) }
  var ratio: Double { strataMedian / rawMedian }

  /// Not-a-number for a peer that does not have the metric.
  var peerMedians: [Double] { peers.map { $0.percentile(0.5) } }
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
