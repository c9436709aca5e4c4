/// What the store makes of an attribute that is to be summed; read by the library.
///
/// The sum of integers comes in two halves, none of which overflows: SQLite's own sum fails as soon
/// as part of it does, which depends on the order of the rows.
public struct SumParts: Sendable {
  /// The sum of integers without their lower 32 bits, shifted right, and of those bits.
  private let high: Cell
  private let low: Cell
  /// The sum of reals; null is not-a-number.
  private let total: Cell
  /// The number of values.
  private let count: Cell

  /// What the cells of ``terms(of:as:)`` say.
  init(_ cells: [Cell], as storage: StorageType) {
    count = cells[0]
    (high, low) = storage == .integer ? (cells[1], cells[2]) : (.null, .null)
    total = storage == .integer ? .null : cells[1]
  }

  /// The exact sum of integers; null is the sum of none.
  var integer: Int128 {
    func half(_ cell: Cell) -> Int128 {
      if case .integer(let value) = cell { Int128(value) } else { 0 }
    }
    return half(high) << 32 + half(low)
  }

  var real: Double { if case .real(let value) = total { value } else { .nan } }

  /// The average; nil of none.
  func average(as storage: StorageType) throws(ValueError) -> Double? {
    let count = try Int(cell: count)
    if count == 0 { return nil }
    return (storage == .integer ? Double(integer) : real) / Double(count)
  }
}

/// Exact: thrown is only that the sum itself is out of range.
extension Int: AttributeSum {
  public init(_ parts: SumParts) throws(ValueError) {
    let sum = parts.integer
    guard let exact = Int(exactly: sum) else {
      throw ValueError("the sum is \(sum), out of range for Int")
    }
    self = exact
  }
}

extension Double: AttributeSum {
  public init(_ parts: SumParts) { self = parts.real }
}
