/// A fast path to the stored text of number arrays, such as the coordinates of a shape.
///
/// The text is the JSON that decoding and encoding would give, made without decoding.
enum NumberArrays {
  /// The nesting depth of a type of number arrays; nil for any other type.
  static func depth(of type: Any.Type) -> Int? { depths[ObjectIdentifier(type)] }

  private static let depths: [ObjectIdentifier: Int] = {
    let types: [(Any.Type, Any.Type, Int)] = [
      ([Double].self, [Double]?.self, 1), ([[Double]].self, [[Double]]?.self, 2),
      ([[[Double]]].self, [[[Double]]]?.self, 3), ([[[[Double]]]].self, [[[[Double]]]]?.self, 4),
    ]
    var depths: [ObjectIdentifier: Int] = [:]
    for (type, optional, depth) in types {
      depths[ObjectIdentifier(type)] = depth
      depths[ObjectIdentifier(optional)] = depth
    }
    return depths
  }()

  /// Returns the text of an array as the store keeps it.
  ///
  /// - Returns: nil if `json` is no array of this depth, or has a negative zero or a number out of
  ///   range. Decoding then makes the text or finds the error.
  /// - Complexity: O(*n*) for *n* bytes.
  static func text(_ json: String, depth: Int) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      // The last bracket ends every number before the end of the buffer.
      guard let first = bytes.baseAddress, bytes.last == UInt8(ascii: "]") else { return nil }
      var writer = Writer(cursor: first, end: first + bytes.count)
      return writer.array(depth) && writer.isAtEnd
        ? String(decoding: writer.text, as: UTF8.self) : nil
    }
  }

  private struct Writer {
    var cursor: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var text: [UInt8] = []

    init(cursor: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>) {
      self.cursor = cursor
      self.end = end
      text.reserveCapacity(end - cursor)
    }

    var isAtEnd: Bool { cursor == end }

    /// Writes an array; returns false for any other value.
    mutating func array(_ depth: Int) -> Bool {
      guard take("[") else { return false }
      text.append(UInt8(ascii: "["))
      if take("]") {
        text.append(UInt8(ascii: "]"))
        return true
      }
      while depth > 1 ? array(depth - 1) : number() {
        if take("]") {
          text.append(UInt8(ascii: "]"))
          return true
        }
        guard take(",") else { return false }
        text.append(UInt8(ascii: ","))
      }
      return false
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard cursor < end, cursor.pointee == UInt8(ascii: character) else { return false }
      cursor += 1
      return true
    }

    private mutating func skipSpace() {
      while cursor < end, cursor.pointee <= 0x20 {
        // The scanner has checked that the byte is white space.
        cursor += 1
      }
    }

    private mutating func number() -> Bool {
      skipSpace()
      let first = cursor
      guard cursor < end, let number = JSONNumber(&cursor) else { return false }
      let digits = UnsafeBufferPointer(start: first, count: cursor - first)
      // Decoding decides about the sign of zero.
      guard let value = number.real(digits), value != 0 || !number.isNegative else { return false }
      if Self.isShortest(number, value, digits) {
        text.append(contentsOf: digits)
      } else {
        text.append(contentsOf: value.description.utf8)
        if text.suffix(2).elementsEqual(".0".utf8) { text.removeLast(2) }
      }
      return true
    }

    /// Whether the digits are the shortest text of the value.
    ///
    /// Different decimals of up to 15 digits are different `Double`s, so no shorter text exists.
    private static func isShortest(
      _ number: JSONNumber, _ value: Double, _ digits: UnsafeBufferPointer<UInt8>
    ) -> Bool {
      guard number.digitCount <= 15, value == 0 || abs(value) >= 0.0001 else { return false }
      if number.isPlain { return true }
      return digits.last != UInt8(ascii: "0")
        && !digits.contains { $0 | 0x20 == UInt8(ascii: "e") }
    }
  }
}
