/// Hexadecimal digits, and UUIDs written with them.
enum Hexadecimal {
  /// Returns the value of an ASCII digit, in either case; nil for any other byte.
  @inline(__always)
  static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// Adds the 16 bytes of a UUID in the form 8-4-4-4-12; returns false for any other text.
  static func decodeUUID(_ text: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) -> Bool {
    guard text.count == 36 else { return false }
    var index = 0
    while index < 36 {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == UInt8(ascii: "-") else { return false }
        index += 1
      }
      guard let high = value(of: text[index]), let low = value(of: text[index + 1]) else {
        return false
      }
      output.append(high << 4 | low)
      index += 2
    }
    return true
  }
}
