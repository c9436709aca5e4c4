/// A sum of reals from which values can be removed without loss.
///
/// The same values always give the same sum, whatever values were added and removed before. The sum
/// is kept as a few partial sums that do not overlap (Shewchuk 1997). Reading the sum rounds once.
struct ExactSum: Sendable {
  private var ordinary = PartialSums()
  /// The sum of the huge values, scaled down so that no intermediate sum overflows.
  private var huge = PartialSums()
  /// The numbers of positive and of negative infinities.
  ///
  /// Infinities are counted, because a sum cannot give them back.
  private var positive = 0
  private var negative = 0

  /// The magnitude from which values are huge.
  ///
  /// Smaller values add up to less than 2¹⁰²³ for any possible number of rows. The same holds for
  /// huge values times ``scale``. Scaling keeps every bit of a huge value.
  private static let threshold = 0x1p900
  private static let scale = 0x1p-200

  mutating func add(_ value: Double) {
    if value.isInfinite { value > 0 ? (positive += 1) : (negative += 1) } else { grow(by: value) }
  }

  mutating func remove(_ value: Double) {
    if value.isInfinite { value > 0 ? (positive -= 1) : (negative -= 1) } else { grow(by: -value) }
  }

  private mutating func grow(by value: Double) {
    if abs(value) < Self.threshold {
      ordinary.grow(by: value)
    } else {
      huge.grow(by: value * Self.scale)
    }
  }

  /// The sum of all values.
  ///
  /// It is infinite if it is out of range, and not a number if the values include infinities of
  /// both signs.
  var value: Double {
    if positive > 0 || negative > 0 {
      return positive == 0 ? -.infinity : negative == 0 ? .infinity : .nan
    }
    var sums = ordinary
    for partial in huge.partials {
      let part = partial / Self.scale
      if part.isInfinite { return part }
      sums.grow(by: part)
    }
    let sum = sums.value
    return sum.isFinite ? sum : huge.value < 0 ? -.infinity : .infinity
  }
}

/// Partial sums that do not overlap, the smallest first.
///
/// Together they are exact.
private struct PartialSums: Sendable {
  private(set) var partials: [Double] = []

  mutating func grow(by value: Double) {
    var sum = value
    var kept = 0
    for partial in partials {
      let (large, small) = abs(sum) < abs(partial) ? (partial, sum) : (sum, partial)
      sum = large + small
      let lost = small - (sum - large)
      if lost != 0 {
        partials[kept] = lost
        kept += 1
      }
    }
    partials.removeSubrange(kept...)
    if sum != 0 { partials.append(sum) }
  }

  /// The sum, rounded once.
  var value: Double {
    guard var sum = partials.last else { return 0 }
    var lost = 0.0
    var index = partials.count - 2
    while index >= 0 && lost == 0 {
      let before = sum
      sum = before + partials[index]
      lost = partials[index] - (sum - before)
      index -= 1
    }
    // At a tie between two numbers, the next smaller partial sum decides the rounding.
    if index >= 0, lost < 0 && partials[index] < 0 || lost > 0 && partials[index] > 0 {
      let twice = lost * 2
      let other = sum + twice
      if other - sum == twice { sum = other }
    }
    return sum
  }
}
