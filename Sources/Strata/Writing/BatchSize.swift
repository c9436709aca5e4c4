/// The number of rows of the next batch, by the duration of the last batch.
package struct BatchSize: Sendable {
  /// The number of rows of the first batch.
  package static let first = 500
  private static let limits = 50...10_000

  /// The number of rows of the next batch.
  package private(set) var rows: Int
  private let isFixed: Bool

  /// Creates the size of the first batch.
  ///
  /// - Parameter fixed: the size of every batch; nil if it adapts to the duration.
  package init(fixed: Int? = nil) {
    rows = fixed ?? Self.first
    isFixed = fixed != nil
  }

  /// Adapts the size to a batch, so that the next transaction takes about half of the longest, or an
  /// eighth while saves of the view context come.
  ///
  /// - Parameter hasHeldUp: whether a save of the view context has waited for the batch.
  package mutating func adapt(
    to count: Int, in duration: Duration, hasHeldUp: Bool, longest: Duration
  ) {
    // A small batch at the end of the input is no measure for the others.
    guard !isFixed, count >= Self.limits.lowerBound else { return }
    let aim = longest / (hasHeldUp ? 8 : 2)
    let wanted = Double(count) * (aim / max(duration, .microseconds(1)))
    // The size shrinks at once, but grows by degrees, so that a quick batch does not make the next
    // batch slow.
    let next = min(wanted, Double(rows) * 1.5)
    rows = min(max(Int(next), Self.limits.lowerBound), Self.limits.upperBound)
  }
}
