import Foundation

/// The expected result of arithmetic in a filter, computed independently of Strata.
///
/// The arithmetic uses 64-bit integers until a result overflows, then reals.
enum FilterNumber: Equatable {
  case integer(Int)
  case real(Double)

  init(_ value: Int) { self = .integer(value) }
  init(_ value: Double) { self = .real(value) }

  var double: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  /// The number truncated to an integer and clamped to 64 bits.
  private var whole: Int {
    switch self {
    case .integer(let value): value
    case .real(let value): Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
  }

  static func compute(_ sign: Character, _ a: FilterNumber?, _ b: FilterNumber?) -> FilterNumber? {
    guard let a, let b else { return nil }
    if sign == "%" {
      guard b.whole != 0 else { return nil }
      let rest = b.whole == -1 ? 0 : a.whole % b.whole
      if case .integer = a, case .integer = b { return .integer(rest) }
      return .real(Double(rest))
    }
    if sign == "/" && b.double == 0 { return nil }
    if case .integer(let x) = a, case .integer(let y) = b {
      let (result, overflows) =
        switch sign {
        case "+": x.addingReportingOverflow(y)
        case "-": x.subtractingReportingOverflow(y)
        case "*": x.multipliedReportingOverflow(by: y)
        default: x.dividedReportingOverflow(by: y)
        }
      if !overflows { return .integer(result) }
    }
    let result =
      switch sign {
      case "+": a.double + b.double
      case "-": a.double - b.double
      case "*": a.double * b.double
      default: a.double / b.double
      }
    return result.isNaN ? nil : .real(result)
  }

  /// Returns a negative number, zero or a positive number if `a` is less than, equal to or greater
  /// than `b`.
  ///
  /// The comparison is exact.
  static func order(_ a: FilterNumber, _ b: FilterNumber) -> Int {
    switch (a, b) {
    case (.integer(let x), .integer(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.real(let x), .real(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.real, .integer): return -order(b, a)
    case (.integer(let x), .real(let y)):
      if y >= 0x1p63 { return -1 }
      if y < -0x1p63 { return 1 }
      let floor = Int(y.rounded(.down))
      if x != floor { return x < floor ? -1 : 1 }
      return Double(floor) == y ? 0 : -1
    }
  }
}
