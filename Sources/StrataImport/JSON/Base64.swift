/// Base 64 (RFC 4648), in the standard or the URL-safe alphabet.
enum Base64 {
  /// Adds the bytes that a text encodes; returns false if the text is not base 64.
  ///
  /// Padding may be missing but not wrong. White space is refused, and so are bits set beyond the
  /// last byte.
  static func decode(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) -> Bool {
    var digits = text[...]
    if digits.count % 4 == 0 {
      for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
    }
    var (bits, count): (UInt32, Int) = (0, 0)
    for digit in digits {
      guard let value = value(of: digit) else { return false }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count < 6 && bits & (1 << UInt32(count) - 1) == 0
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit &- UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit &- UInt8(ascii: "a") &+ 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0") &+ 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
