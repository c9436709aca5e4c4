/// A decimal number as text: what JSON calls a number, and nothing else.
///
/// Foundation reads as much of a text as it can, and so finds a number in `12abc` and in
/// `1,234.50`.
struct DecimalText: Equatable {
  private var isNegative = false
  /// Without zeros at either end.
  private var digits: ArraySlice<UInt8> = []
  /// The power of ten of the last digit.
  private var exponent = 0

  /// Nil if the text is no number.
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
      // Beyond a million it makes no difference.
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

  /// Reads at least one digit.
  private static func digits(_ text: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let digits = text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    text = text[digits.endIndex...]
    return digits.isEmpty ? nil : digits
  }
}
