/// Arrays of numbers, such as the coordinates of a shape, as the store keeps them: the JSON text that
/// the general way would give, made without decoding anything.
enum NumberArrays {
  /// How many arrays are around the numbers; nil for a type of anything else.
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

  /// The text as the store keeps it; nil for what is not such arrays, of which the general way says
  /// what is wrong.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  static func text(_ json: String, depth: Int) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      // Every number ends before the last bracket.
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

    /// Writes an array; false for anything else.
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
        // The scanner has seen that it is white space.
        cursor += 1
      }
    }

    private mutating func number() -> Bool {
      skipSpace()
      let first = cursor
      guard cursor < end, let number = JSONNumber(&cursor) else { return false }
      let digits = UnsafeBufferPointer(start: first, count: cursor - first)
      // The general way decides about the sign of zero.
      guard let value = number.real(digits), value != 0 || !number.isNegative else { return false }
      if Self.isShortest(number, value, digits) {
        text.append(contentsOf: digits)
      } else {
        text.append(contentsOf: value.description.utf8)
        if text.suffix(2).elementsEqual(".0".utf8) { text.removeLast(2) }
      }
      return true
    }

    /// Whether the digits are those that the value would be written with.
    ///
    /// No two decimals of up to 15 digits are one `Double`, so none is shorter.
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
