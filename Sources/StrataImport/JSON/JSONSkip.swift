/// The state of skipping a value, from which skipping can go on after any token.
///
/// So skipping a value of any size, such as a value beside the array of records, needs no more
/// memory than the value's longest string.
struct JSONSkip {
  private enum Expectation {
    /// A value.
    case value
    /// The first element of an array, or its end.
    case firstElement
    /// The first key of an object, or its end.
    case firstKey
    /// A key.
    case key
    /// A comma or the end of a container.
    case separator
  }

  private var expectation = Expectation.value
  /// A bit for each open container, set for objects. The limit of 512 levels needs these 512 bits.
  private var objects = SIMD8<UInt64>()
  private(set) var depth = 0

  /// Skips and validates the rest of the value.
  ///
  /// If it throws, this state and the reader are at the token that could not be read.
  mutating func skip(_ reader: inout JSONReader) throws(JSONFault) {
    repeat {
      switch expectation {
      case .value:
        try value(&reader)
      case .firstElement:
        if reader.peek() == UInt8(ascii: "]") { close(&reader) } else { try value(&reader) }
      case .firstKey:
        if reader.peek() == UInt8(ascii: "}") { close(&reader) } else { try key(&reader) }
      case .key:
        try key(&reader)
      case .separator:
        try separator(&reader)
      }
    } while depth > 0
  }

  @inline(__always)
  private mutating func value(_ reader: inout JSONReader) throws(JSONFault) {
    switch try reader.kind() {
    case .object:
      try reader.beginObject()
      open(isObject: true)
    case .array:
      try reader.beginArray()
      open(isObject: false)
    case .string:
      _ = try reader.string()
      expectation = .separator
    case .number:
      _ = try reader.number()
      expectation = .separator
    case .bool:
      _ = try reader.bool()
      expectation = .separator
    case .null:
      try reader.null()
      expectation = .separator
    }
  }

  private mutating func key(_ reader: inout JSONReader) throws(JSONFault) {
    let first = reader.cursor
    do throws(JSONFault) {
      _ = try reader.key()
    } catch {
      reader.cursor = first
      throw error
    }
    expectation = .value
  }

  private mutating func separator(_ reader: inout JSONReader) throws(JSONFault) {
    let byte = reader.peek()
    if byte == UInt8(ascii: ",") {
      reader.cursor += 1
      expectation = isInObject ? .key : .value
    } else if byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      close(&reader)
    } else {
      throw reader.fault(at: reader.cursor)
    }
  }

  private var isInObject: Bool {
    objects[(depth - 1) >> 6] & 1 << UInt64((depth - 1) & 63) != 0
  }

  private mutating func open(isObject: Bool) {
    let bit: UInt64 = 1 << UInt64(depth & 63)
    if isObject { objects[depth >> 6] |= bit } else { objects[depth >> 6] &= ~bit }
    depth += 1
    expectation = isObject ? .firstKey : .firstElement
  }

  private mutating func close(_ reader: inout JSONReader) {
    reader.cursor += 1
    reader.depth -= 1
    depth -= 1
    expectation = .separator
  }
}

extension JSONReader {
  /// Skips and validates a value of any kind.
  mutating func skipValue() throws(JSONFault) {
    switch try kind() {
    case .string: _ = try string()
    case .number: _ = try number()
    case .bool: _ = try bool()
    case .null: try null()
    case .object, .array:
      var skip = JSONSkip()
      try skip.skip(&self)
    }
  }
}
