/// The parts of a sum that the store computes for an attribute, which only the library reads.
///
/// The sum of integers has two halves, and neither overflows. SQLite's own sum fails as soon as a
/// partial sum overflows, which depends on the order of the rows.
public struct _SumParts: Sendable {
  /// The sum of the integers' upper 32 bits, shifted right, and the sum of their lower 32 bits.
  private let high: Cell
  private let low: Cell
  /// The sum of reals; null is not-a-number.
  private let total: Cell
  /// The number of values.
  private let count: Cell

  /// Creates the parts from the cells of ``terms(of:as:)``.
  init(_ cells: [Cell], as storage: StorageType) {
    count = cells[0]
    (high, low) = storage == .integer ? (cells[1], cells[2]) : (.null, .null)
    total = storage == .integer ? .null : cells[1]
  }

  /// The exact sum of the integers.
  ///
  /// A null half counts as 0, because SQLite's sum of no values is null.
  var integer: Int128 {
    func half(_ cell: Cell) -> Int128 {
      if case .integer(let value) = cell { Int128(value) } else { 0 }
    }
    return half(high) << 32 + half(low)
  }

  var real: Double { if case .real(let value) = total { value } else { .nan } }

  /// Returns the average of the values, or nil if there are no values.
  func average(as storage: StorageType) throws(ValueError) -> Double? {
    let count = try Int(cell: count)
    if count == 0 { return nil }
    return (storage == .integer ? Double(integer) : real) / Double(count)
  }
}

/// An exact sum, which throws only if the sum itself is out of range.
extension Int: _AttributeSum {
  public init(_ parts: _SumParts) throws(ValueError) {
    let sum = parts.integer
    guard let exact = Int(exactly: sum) else {
      throw ValueError("the sum is \(sum), out of range for Int")
    }
    self = exact
  }
}

extension Double: _AttributeSum {
  public init(_ parts: _SumParts) { self = parts.real }
}
