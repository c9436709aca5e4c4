/// The parts of a number's text by the grammar of RFC 8259.
///
/// The value of a number with at most 19 digits, which always fit 64 bits, is
/// `±mantissa × 10^exponent`. With more digits only the text gives the value.
struct JSONNumber {
  var isNegative: Bool
  /// The digits before and after the point, as one integer.
  var mantissa: UInt64
  var digitCount: Int
  var exponent: Int
  /// Whether the number has neither a point nor an exponent.
  var isPlain: Bool

  /// Whether `mantissa` has not overflowed.
  private var isExact: Bool { digitCount <= 19 }

  /// Reads the number at `cursor`, and moves `cursor` to the byte after the number.
  ///
  /// Without a valid number the result is nil, and `cursor` moves to the byte that does not fit.
  @inline(__always)
  init?(_ cursor: inout UnsafePointer<UInt8>) {
    isNegative = cursor.pointee == UInt8(ascii: "-")
    if isNegative { cursor += 1 }
    mantissa = 0
    exponent = 0
    isPlain = true

    let leadsWithZero = cursor.pointee == UInt8(ascii: "0")
    digitCount = Self.digits(&cursor, into: &mantissa)
    if digitCount == 0 { return nil }
    if leadsWithZero, digitCount > 1 {
      cursor -= digitCount - 1
      return nil
    }
    if cursor.pointee == UInt8(ascii: ".") {
      cursor += 1
      let fraction = Self.digits(&cursor, into: &mantissa)
      if fraction == 0 { return nil }
      digitCount &+= fraction
      exponent = -fraction
      isPlain = false
    }
    if cursor.pointee | 0x20 == UInt8(ascii: "e") {
      guard let power = Self.power(&cursor) else { return nil }
      exponent += power
      isPlain = false
    }
  }

  /// Reads consecutive digits and returns their number.
  @inline(__always)
  private static func digits(
    _ cursor: inout UnsafePointer<UInt8>, into value: inout UInt64
  ) -> Int {
    let first = cursor
    while true {
      let digit = cursor.pointee &- UInt8(ascii: "0")
      guard digit <= 9 else { return cursor - first }
      value = value &* 10 &+ UInt64(digit)
      cursor += 1
    }
  }

  /// Reads the exponent from its `e`. Beyond a million its value makes no difference.
  private static func power(_ cursor: inout UnsafePointer<UInt8>) -> Int? {
    cursor += 1
    let sign = cursor.pointee
    if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { cursor += 1 }
    let first = cursor
    var value = 0
    while case let digit = cursor.pointee &- UInt8(ascii: "0"), digit <= 9 {
      value = min(value * 10 + Int(digit), 1_000_000)
      cursor += 1
    }
    guard cursor > first else { return nil }
    return sign == UInt8(ascii: "-") ? -value : value
  }
}

extension JSONNumber {
  /// The number as an integer of 64 bits, if it is one. It never passes through a `Double`.
  ///
  /// `1.0`, `1e3` and `1.5e1` are integers. Every number of up to 19 digits whose value is integral
  /// is an integer, also if it is written with a point or an exponent.
  var integer: Int64? {
    @inline(__always) get {
      guard let magnitude else { return nil }
      if isNegative {
        return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
      }
      return Int64(exactly: magnitude)
    }
  }

  /// Returns the number as an unsigned integer of 64 bits, if it is one; `text` is its text.
  func unsigned(_ text: UnsafeBufferPointer<UInt8>) -> UInt64? {
    // The largest integers have a digit more than the mantissa holds.
    if isPlain, digitCount == 20 { return UInt64(String(decoding: text, as: UTF8.self)) }
    guard let magnitude, !isNegative || magnitude == 0 else { return nil }
    return magnitude
  }

  /// The number without its sign, if it is an integer of 64 bits.
  @inline(__always)
  private var magnitude: UInt64? {
    guard isExact else { return nil }
    return isPlain ? mantissa : scaledMantissa
  }

  /// `mantissa × 10^exponent`, if that is an integer of 64 bits.
  private var scaledMantissa: UInt64? {
    if mantissa == 0 { return 0 }
    var (value, exponent) = (mantissa, exponent)
    while exponent < 0 {
      let (quotient, remainder) = value.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return nil }
      (value, exponent) = (quotient, exponent + 1)
    }
    while exponent > 0 {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      (value, exponent) = (product, exponent - 1)
    }
    return value
  }

  /// Returns the nearest `Double`, ties to even; nil beyond its range. `text` is the number's text.
  func real(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if let fastReal { return fastReal }
    // The standard library rounds correctly; it is only slower.
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// The nearest `Double`, if a single operation computes it.
  var fastReal: Double? {
    @inline(__always) get {
      guard isExact, let magnitude = fastMagnitude else { return nil }
      return isNegative ? -magnitude : magnitude
    }
  }

  /// Clinger's fast path (1990, "How to read floating point numbers accurately").
  ///
  /// Both factors are exact doubles, so the only operation rounds once.
  @inline(__always)
  private var fastMagnitude: Double? {
    if mantissa <= 1 << 53 {
      if exponent == 0 { return Double(mantissa) }
      if (-22..<0).contains(exponent) { return Double(mantissa) / Self.powersOfTen[-exponent] }
      if (1...22).contains(exponent) { return Double(mantissa) * Self.powersOfTen[exponent] }
    }
    return (-27 ... -1).contains(exponent) ? quotient(Self.powersOfFive[-exponent]) : nil
  }

  /// `mantissa / (5^k × 2^k)` for k = -exponent, by one exact division of 128 by 64 bits.
  ///
  /// Dividend and divisor are shifted to fill their words, so the quotient has at least 63 bits. A
  /// remainder sets the lowest bit, where it only decides ties. Coordinates with 17 digits take
  /// this path.
  private func quotient(_ powerOfFive: UInt64) -> Double {
    let divisorShift = powerOfFive.leadingZeroBitCount
    let dividendShift = mantissa.leadingZeroBitCount
    let dividend = mantissa << UInt64(dividendShift)
    let divisor = powerOfFive << UInt64(divisorShift)
    let (quotient, remainder) = divisor.dividingFullWidth((dividend >> 1, dividend << 63))
    let sticky: UInt64 = remainder == 0 ? 0 : 1
    let power = -63 + divisorShift - dividendShift + exponent
    return Double(quotient | sticky)
      * Double(sign: .plus, exponent: power, significand: 1)
  }

  /// 10^0 … 10^22, which are exact doubles.
  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// 5^0 … 5^27, all powers of five that fit 64 bits.
  private static let powersOfFive: [UInt64] = (0...27).map { power in
    (0..<power).reduce(1) { product, _ in product * 5 }
  }
}

extension JSONReader {
  /// Reads a number.
  @inline(__always)
  mutating func number() throws(JSONFault) -> JSONNumber {
    _ = peek()
    var next = cursor
    guard let number = JSONNumber(&next) else {
      throw fault(next == cursor ? .unexpectedByte : .invalidNumber, at: next)
    }
    // At the end of a window the number may have more digits in the next.
    if next >= end, !isFinal { throw fault(at: next) }
    cursor = next
    return number
  }
}
