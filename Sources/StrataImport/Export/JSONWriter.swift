/// Appends JSON to bytes, value by value.
struct JSONWriter: Sendable {
  var bytes: [UInt8] = []

  /// Appends a mark of the grammar.
  mutating func append(mark: Unicode.Scalar) { bytes.append(UInt8(ascii: mark)) }

  mutating func appendNull() { bytes.append(contentsOf: "null".utf8) }

  mutating func append(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

  mutating func append(_ value: some FixedWidthInteger) {
    bytes.append(contentsOf: value.description.utf8)
  }

  /// Appends the shortest number that reads back as the value. The value must be finite.
  mutating func append(_ value: Double) { bytes.append(contentsOf: value.description.utf8) }

  /// Appends text that is JSON already.
  mutating func append(json: String) { bytes.append(contentsOf: json.utf8) }

  /// Appends a string with quotes, and escapes only the characters that need it.
  mutating func append(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: #"\n"#.utf8)
      case 0..<0x20:
        bytes.append(contentsOf: #"\u00"#.utf8)
        appendHexadecimal(byte)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends 16 bytes in the form of a UUID, with quotes.
  mutating func append(uuid: some Collection<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for (index, byte) in uuid.enumerated() {
      if [4, 6, 8, 10].contains(index) { bytes.append(UInt8(ascii: "-")) }
      appendHexadecimal(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789ABCDEF".utf8)

  private mutating func appendHexadecimal(_ byte: UInt8) {
    bytes.append(Self.digits[Int(byte >> 4)])
    bytes.append(Self.digits[Int(byte & 15)])
  }
}
