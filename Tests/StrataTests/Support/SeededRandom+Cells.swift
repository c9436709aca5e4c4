import StrataTesting

internal import Foundation

@testable import Strata

/// Values at which representations change: integer widths, signs, and the precision of a `Double`.
enum EdgeValues {
  static let integers: [Int64] = {
    var values: Set<Int64> = [0, .min, .max, .min + 1, .max - 1]
    for bits in [7, 8, 15, 16, 31, 32, 52, 53, 54, 62] {
      for sign: Int64 in [1, -1] {
        for step: Int64 in -2...2 { values.insert(sign * (1 << Int64(bits)) + step) }
      }
    }
    return values.sorted()
  }()

  static let reals: [Double] = {
    var values: Set<Double> = [
      0, 0.5, 1.5, .infinity, -.infinity, .pi, .leastNonzeroMagnitude, .leastNormalMagnitude,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 0x1p63, -0x1p63, 0x1p64, 1e300,
    ]
    for value in integers {
      let real = Double(value)
      values.formUnion([real, real.nextUp, real.nextDown])
    }
    return values.sorted()
  }()

  /// Parts of texts.
  ///
  /// They have both cases, characters beyond ASCII, characters that look equal, NUL, wildcards of
  /// LIKE, the code points around the surrogates, and the last code point.
  static let textParts = [
    "a", "A", "b", "B", "\0", " ", "%", "_", "é", "e\u{301}", "É", "ß", "日", "𝄞", "\u{7F}",
    "\u{80}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\"", "'",
  ]
}

extension SeededRandom {
  mutating func integer() -> Int64 {
    switch below(4) {
    case 0: Int64(below(5)) - 2
    case 1: pick(EdgeValues.integers)
    case 2: Int64(bitPattern: next()) >> Int64(below(64))
    default: Int64(bitPattern: next())
    }
  }

  /// Returns any real except not-a-number.
  mutating func real() -> Double {
    switch below(4) {
    case 0: return Double(below(9)) / 2 - 2
    case 1: return pick(EdgeValues.reals)
    case 2: return Double(integer())
    default:
      let value = Double(bitPattern: next())
      return value.isNaN ? 0 : value
    }
  }

  mutating func text(parts limit: Int = 4) -> String {
    (0..<below(limit + 1)).reduce(into: "") { text, _ in text += pick(EdgeValues.textParts) }
  }

  mutating func blob() -> Data {
    let count = oneIn(8) ? 16 : below(5)
    let isPlain = oneIn(2)
    return Data((0..<count).map { _ in isPlain ? UInt8(below(2)) : UInt8(below(256)) })
  }

  mutating func cell() -> Cell {
    switch below(9) {
    case 0: .null
    case 1...3: .integer(integer())
    case 4, 5: .real(real())
    case 6, 7: .text(text())
    default: .blob(blob())
    }
  }

  mutating func cells(_ count: Int) -> [Cell] { (0..<count).map { _ in cell() } }
}

extension Cell {
  /// Whether both cells are equal and have the same storage class.
  ///
  /// `==` alone follows SQLite, for which 1 is 1.0.
  func isSame(as other: Cell) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): Array(a.utf8) == Array(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// The cell as a record has it, without a negative zero.
  var normalized: Cell {
    if case .real(let value) = self { .real(value + 0.0) } else { self }
  }
}

extension [Cell] {
  func isSame(as other: [Cell]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
  }
}
