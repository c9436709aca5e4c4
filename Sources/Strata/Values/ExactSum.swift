/// A sum of reals from which values can be taken out again, without anything lost: the same values
/// give the same sum, whatever came and went in between.
///
/// Kept as a few partial sums that do not overlap (Shewchuk 1997); what is read is rounded once.
struct ExactSum: Sendable {
  private var ordinary = PartialSums()
  /// Of values whose sum might be too large for a number on the way, scaled down.
  private var huge = PartialSums()
  /// How many of each infinity there are; they cannot be taken out of a sum.
  private var positive = 0
  private var negative = 0

  /// Values from here on are huge. No number of rows adds up to more than 2¹⁰²³ of smaller ones,
  /// nor of huge ones times ``scale``, which keeps their every bit.
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

  /// The sum, infinite if it is out of range; not-a-number of infinities with different signs.
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

/// Sums that do not overlap, the smallest first, and that together are exact.
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
    // Halfway between two numbers, what comes below decides.
    if index >= 0, lost < 0 && partials[index] < 0 || lost > 0 && partials[index] > 0 {
      let twice = lost * 2
      let other = sum + twice
      if other - sum == twice { sum = other }
    }
    return sum
  }
}
