/// The kinds of JSON value, told apart by their first byte.
enum JSONKind: Sendable {
  case object, array, string, number, bool, null
}

/// A strict RFC 8259 pull reader over the bytes of one window.
///
/// A reader is valid only inside `JSONWindow.read`. A function that throws leaves the reader at the
/// start of the token that it could not read. The error is at the end of the window only if the
/// bytes after the window decide about the token. So errors do not depend on the chunks.
struct JSONReader {
  /// The maximum nesting depth of arrays and objects.
  static let maximumDepth = 512

  var cursor: UnsafePointer<UInt8>
  let start: UnsafePointer<UInt8>
  let end: UnsafePointer<UInt8>
  /// The absolute offset of the window's first byte.
  let base: Int
  /// Whether the window's end is the input's end.
  let isFinal: Bool
  /// The number of arrays and objects around the cursor.
  var depth = 0
  /// The index of the first byte that a later reader reads again.
  private(set) var committed: Int

  /// Creates a reader. `bytes` must have at least 16 bytes of NUL padding after `count` bytes.
  init(_ bytes: UnsafeBufferPointer<UInt8>, count: Int, position: Int, base: Int, isFinal: Bool) {
    guard let first = bytes.baseAddress, bytes.count >= count + 16 else {
      preconditionFailure("a window without padding")
    }
    start = first
    end = first + count
    cursor = first + position
    committed = position
    self.base = base
    self.isFinal = isFinal
  }

  /// The index of the next byte in the window.
  var position: Int { cursor - start }

  var isAtEnd: Bool { cursor >= end }

  /// Commits the bytes before the cursor, so that no later reader reads them again.
  mutating func commit() { committed = position }

  /// Returns the fault at a byte that is not allowed, or at the end of the window.
  func fault(_ code: JSONSyntaxError.Code = .unexpectedByte, at byte: UnsafePointer<UInt8>)
    -> JSONFault
  {
    byte >= end
      ? JSONFault(code: .unexpectedEnd, position: end - start)
      : JSONFault(code: code, position: byte - start)
  }

  // MARK: Tokens

  /// Skips white space and returns the next byte; NUL at the end.
  @inline(__always)
  mutating func peek() -> UInt8 {
    while true {
      let byte = cursor.pointee
      guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
        return byte
      }
      cursor += 1
    }
  }

  /// Returns the kind of the next value.
  mutating func kind() throws(JSONFault) -> JSONKind {
    switch peek() {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "["): .array
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: throw fault(at: cursor)
    }
  }

  /// Skips white space and reads the given byte.
  @inline(__always)
  mutating func expect(_ byte: UInt8) throws(JSONFault) {
    guard peek() == byte else { throw fault(at: cursor) }
    cursor += 1
  }

  mutating func bool() throws(JSONFault) -> Bool {
    if peek() == UInt8(ascii: "t") {
      try literal("true")
      return true
    }
    try literal("false")
    return false
  }

  mutating func null() throws(JSONFault) {
    _ = peek()
    try literal("null")
  }

  @inline(__always)
  private mutating func literal(_ text: StaticString) throws(JSONFault) {
    let (expected, count) = (text.utf8Start, text.utf8CodeUnitCount)
    for index in 0..<count where cursor[index] != expected[index] {
      throw fault(at: cursor + index)
    }
    cursor += count
  }

  // MARK: Containers

  /// Enters an object; go on with `nextMember`.
  @inline(__always)
  mutating func beginObject() throws(JSONFault) { try begin(UInt8(ascii: "{")) }

  /// Enters an array; go on with `nextElement`.
  @inline(__always)
  mutating func beginArray() throws(JSONFault) { try begin(UInt8(ascii: "[")) }

  @inline(__always)
  private mutating func begin(_ bracket: UInt8) throws(JSONFault) {
    guard peek() == bracket else { throw fault(at: cursor) }
    guard depth < Self.maximumDepth else { throw fault(.tooDeep, at: cursor) }
    depth += 1
    cursor += 1
  }

  /// Goes to the next key of the object, or leaves it and returns false.
  @inline(__always)
  mutating func nextMember(_ isFirst: inout Bool) throws(JSONFault) -> Bool {
    guard try nextItem(&isFirst, closing: UInt8(ascii: "}")) else { return false }
    guard peek() == UInt8(ascii: "\"") else { throw fault(at: cursor) }
    return true
  }

  /// Goes to the next element of the array, or leaves it and returns false.
  @inline(__always)
  mutating func nextElement(_ isFirst: inout Bool) throws(JSONFault) -> Bool {
    try nextItem(&isFirst, closing: UInt8(ascii: "]"))
  }

  @inline(__always)
  private mutating func nextItem(_ isFirst: inout Bool, closing: UInt8) throws(JSONFault) -> Bool {
    let byte = peek()
    if byte == closing {
      cursor += 1
      depth -= 1
      return false
    }
    if isFirst {
      isFirst = false
    } else {
      guard byte == UInt8(ascii: ",") else { throw fault(at: cursor) }
      cursor += 1
    }
    return true
  }

  /// Reads a key and its colon.
  @inline(__always)
  mutating func key() throws(JSONFault) -> JSONString {
    let key = try string()
    try expect(UInt8(ascii: ":"))
    return key
  }
}
