internal import CStrataSQLite

/// A sum of reals from which values can be removed without loss, in memory and as the SQL aggregates
/// `strata_sum(value)` and `strata_sum_parts(value)`.
///
/// The same values always give the same sum, whatever values were added and removed before. The sum
/// is kept as a few partial sums that do not overlap (Shewchuk 1997). Reading the sum rounds once.
package struct ExactSum: Sendable {
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

  package init() {}

  package mutating func add(_ value: Double) {
    if value.isInfinite { value > 0 ? (positive += 1) : (negative += 1) } else { grow(by: value) }
  }

  package mutating func remove(_ value: Double) {
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
  package var value: Double {
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

extension ExactSum {
  /// The parts of the sum, from which ``init(parts:)`` makes it again without loss.
  ///
  /// They are the numbers of infinities and of ordinary partial sums, then the partial sums, as
  /// words of eight bytes.
  private var parts: [UInt8] {
    let counts = [positive, negative, ordinary.partials.count].map { UInt64($0) }
    let words = counts + (ordinary.partials + huge.partials).map(\.bitPattern)
    return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  /// Creates the sum whose parts `strata_sum_parts` has returned; no parts are the sum of nothing.
  package init(parts: some Collection<UInt8>) {
    self.init()
    let bytes = Array(parts)
    var words = stride(from: 0, to: bytes.count, by: 8).map { start in
      let word = bytes[start..<min(start + 8, bytes.count)].reversed()
      return word.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    if words.count < 3 { return }
    let count = Int(words[2])
    (positive, negative) = (Int(words[0]), Int(words[1]))
    words.removeFirst(3)
    ordinary = PartialSums(words.prefix(count).map { Double(bitPattern: $0) })
    huge = PartialSums(words.dropFirst(count).map { Double(bitPattern: $0) })
  }
}

extension ExactSum {
  /// The sum of one group while SQLite steps through its rows.
  private final class Running {
    var sum = ExactSum()
  }

  /// Registers `strata_sum(value)`: the sum of the reals, 0 without reals, and null for a sum that
  /// is not a number; and `strata_sum_parts(value)`: the parts of the same sum.
  static func register(on connection: OpaquePointer) -> Int32 {
    let code = register("strata_sum", on: connection) { context in
      let sum = ExactSum.end(context).value
      if sum.isNaN { sqlite3_result_null(context) } else { sqlite3_result_double(context, sum) }
    }
    if code != SQLITE_OK { return code }
    return register("strata_sum_parts", on: connection) { context in
      ExactSum.end(context).parts.withUnsafeBytes {
        strata_result_blob(context, $0.baseAddress, UInt64($0.count))
      }
    }
  }

  private static func register(
    _ name: String, on connection: OpaquePointer,
    _ end: @escaping @convention(c) (OpaquePointer?) -> Void
  ) -> Int32 {
    sqlite3_create_function_v2(
      connection, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil, nil,
      { context, _, arguments in
        guard let value = arguments?[0], sqlite3_value_type(value) == SQLITE_FLOAT else { return }
        let size = Int32(MemoryLayout<Unmanaged<Running>?>.size)
        // SQLite zeroes the memory at the first call for a group.
        guard
          let memory = sqlite3_aggregate_context(context, size)?
            .assumingMemoryBound(to: Unmanaged<Running>?.self)
        else { return sqlite3_result_error_nomem(context) }
        let running = memory.pointee ?? .passRetained(Running())
        memory.pointee = running
        running._withUnsafeGuaranteedRef { $0.sum.add(sqlite3_value_double(value)) }
      }, end, nil)
  }

  /// Releases the sum of a group at its end, and returns it.
  private static func end(_ context: OpaquePointer?) -> ExactSum {
    let running = sqlite3_aggregate_context(context, 0)?
      .assumingMemoryBound(to: Unmanaged<Running>?.self).pointee?.takeRetainedValue()
    return running?.sum ?? ExactSum()
  }
}

/// Partial sums that do not overlap, the smallest first.
///
/// Together they are exact.
private struct PartialSums: Sendable {
  private(set) var partials: [Double]

  init(_ partials: [Double] = []) { self.partials = partials }

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
