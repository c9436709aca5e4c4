/// An arithmetic operator with SQLite's rules, so that a filter computes the same in memory.
///
/// Integers stay integers and divide towards zero. A result that does not fit in 64 bits becomes a
/// real number. The result is null if an operand is null, if the divisor is zero, or if the result
/// is not a number.
enum ArithmeticOperator: String, Sendable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"
  case remainder = "%"

  func callAsFunction(_ a: Cell, _ b: Cell) -> Cell {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): integers(a, b)
    case (.integer(let x), .real(let y)): reals(Double(x), y, a, b)
    case (.real(let x), .integer(let y)): reals(x, Double(y), a, b)
    case (.real(let x), .real(let y)): reals(x, y, a, b)
    default: .null
    }
  }

  private func integers(_ a: Int64, _ b: Int64) -> Cell {
    let (result, overflows): (Int64, Bool)
    switch self {
    case .add: (result, overflows) = a.addingReportingOverflow(b)
    case .subtract: (result, overflows) = a.subtractingReportingOverflow(b)
    case .multiply: (result, overflows) = a.multipliedReportingOverflow(by: b)
    case .divide:
      if b == 0 { return .null }
      (result, overflows) = a.dividedReportingOverflow(by: b)
    case .remainder: return Self.remainder(a, b).map { .integer($0) } ?? .null
    }
    return overflows ? reals(Double(a), Double(b), .integer(a), .integer(b)) : .integer(result)
  }

  /// Computes with real numbers.
  ///
  /// - Parameters:
  ///   - x: the number in `a`, rounded if it is an integer.
  ///   - y: the number in `b`, rounded if it is an integer.
  private func reals(_ x: Double, _ y: Double, _ a: Cell, _ b: Cell) -> Cell {
    let result: Double
    switch self {
    case .add: result = x + y
    case .subtract: result = x - y
    case .multiply: result = x * y
    case .divide:
      if y == 0 { return .null }
      result = x / y
    case .remainder:
      guard let rest = Self.remainder(Self.whole(a), Self.whole(b)) else { return .null }
      result = Double(rest)
    }
    return result.isNaN ? .null : .real(result)
  }

  private static func remainder(_ a: Int64, _ b: Int64) -> Int64? {
    if b == 0 { return nil }
    return a.remainderReportingOverflow(dividingBy: b).partialValue
  }

  /// Returns the integer from which a remainder is computed.
  ///
  /// A real number loses its fraction. A number that is too large becomes the nearest integer.
  private static func whole(_ cell: Cell) -> Int64 {
    switch cell {
    case .integer(let value): value
    case .real(let value):
      value <= -0x1p63 ? .min : value >= 0x1p63 ? .max : Int64(value)
    case .null, .text, .blob: 0
    }
  }
}
