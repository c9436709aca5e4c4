import Foundation

/// Ratios of Strata's medians to other medians, and their mean.
struct Ratios {
  private var logarithms: [Double] = []

  var count: Int { logarithms.count }

  /// Adds a ratio. The ratio of a rate is inverted, so that less is better for all of them.
  mutating func add(_ ratio: Double, of metric: Metric) {
    guard ratio.isFinite, ratio > 0 else { return }
    logarithms.append(metric.isRate ? -log(ratio) : log(ratio))
  }

  /// The geometric mean: twice as fast and half as fast are 1 together. It is nil without ratios.
  var mean: Double? {
    logarithms.isEmpty ? nil : exp(logarithms.reduce(0, +) / Double(logarithms.count))
  }
}
