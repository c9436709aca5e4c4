/// A decimal number in the exact syntax of JSON numbers.
///
/// Foundation parses as much of a text as it can, so it finds a number in `12abc` and in
/// `1,234.50`.
struct DecimalText: Equatable {
  private var isNegative = false
  /// The digits, without zeros at either end.
  private var digits: ArraySlice<UInt8> = []
  /// The power of ten of the last digit.
  private var exponent = 0

  /// Parses a text, and returns nil if it is not a number.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    if rest.first == UInt8(ascii: "-") {
      isNegative = true
      rest.removeFirst()
    }
    guard let whole = Self.digits(&rest), whole.count == 1 || whole.first != UInt8(ascii: "0")
    else { return nil }
    digits = whole
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      guard let fraction = Self.digits(&rest) else { return nil }
      digits += fraction
      exponent = -fraction.count
    }
    if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
      rest.removeFirst()
      let isSmall = rest.first == UInt8(ascii: "-")
      if isSmall || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
      guard let power = Self.digits(&rest) else { return nil }
      // An exponent beyond a million makes no difference.
      let value = power.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000) }
      exponent += isSmall ? -value : value
    }
    guard rest.isEmpty else { return nil }
    digits = digits.drop { $0 == UInt8(ascii: "0") }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (isNegative, exponent) = (false, 0) }
  }

  /// Removes and returns the digits at the start of a text, or returns nil if it starts with no
  /// digit.
  private static func digits(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    text = text[digits.endIndex...]
    return digits.isEmpty ? nil : digits
  }
}
