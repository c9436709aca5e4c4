/// A string between its quotes, validated and not decoded.
struct JSONString {
  /// The index of the string's first byte in the window.
  var position: Int
  /// The number of bytes, escapes included.
  var count: Int
  var isEscaped: Bool
}

extension JSONReader {
  /// Reads and validates a string.
  ///
  /// It tests eight bytes at a time (SWAR; Mycroft 1987, "Determine if a word has a zero byte").
  /// Plain ASCII is passed without a test of single bytes, and needs no UTF-8 validation.
  @inline(__always)
  mutating func string() throws(JSONFault) -> JSONString {
    guard peek() == UInt8(ascii: "\"") else { throw fault(at: cursor) }
    let first = cursor + 1
    var next = first
    var isEscaped = false
    while true {
      let special = Self.specialBytes(UnsafeRawPointer(next).loadUnaligned(as: UInt64.self))
      guard special != 0 else {
        next += 8
        continue
      }
      next += special.trailingZeroBitCount >> 3
      let byte = next.pointee
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        isEscaped = true
        next = try escape(at: next)
      } else if byte >= 0x80 {
        next = try multibyteRun(at: next)
      } else {
        throw fault(.controlCharacter, at: next)
      }
    }
    cursor = next + 1
    return JSONString(position: first - start, count: next - first, isEscaped: isEscaped)
  }

  /// Returns a word whose lowest set bit is in the first special byte; zero without such a byte.
  ///
  /// Special bytes are quotes, backslashes, control characters and bytes beyond ASCII. A borrow can
  /// wrongly mark only bytes after the first byte that is rightly marked. The word itself marks
  /// every byte with a high bit, so the three differences need no mask.
  @inline(__always)
  private static func specialBytes(_ word: UInt64) -> UInt64 {
    let word = UInt64(littleEndian: word)
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = (word ^ (ones &* 0x22)) &- ones
    let backslashes = (word ^ (ones &* 0x5C)) &- ones
    let controls = word &- (ones &* 0x20)
    return (quotes | backslashes | controls | word) & (ones &* 0x80)
  }

  /// Validates characters of two to four bytes (Unicode Standard, table 3-7).
  ///
  /// - Returns: the next byte that is ASCII.
  @inline(never)
  private func multibyteRun(at first: UnsafePointer<UInt8>) throws(JSONFault)
    -> UnsafePointer<UInt8>
  {
    var lead = first
    while lead.pointee >= 0x80 {
      let (count, second): (Int, ClosedRange<UInt8>) =
        switch lead.pointee {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: throw fault(.invalidUTF8, at: lead)
        }
      guard second.contains(lead[1]) else { throw invalidUTF8(lead, 1) }
      if count > 2, lead[2] & 0xC0 != 0x80 { throw invalidUTF8(lead, 2) }
      if count > 3, lead[3] & 0xC0 != 0x80 { throw invalidUTF8(lead, 3) }
      lead += count
    }
    return lead
  }

  private func invalidUTF8(_ lead: UnsafePointer<UInt8>, _ index: Int) -> JSONFault {
    fault(.invalidUTF8, at: lead + index >= end ? end : lead)
  }

  // MARK: Escapes

  /// Validates the escape at a backslash, and returns the first byte after it.
  @inline(never)
  private func escape(at backslash: UnsafePointer<UInt8>) throws(JSONFault)
    -> UnsafePointer<UInt8>
  {
    let letter = backslash + 1
    guard letter.pointee == UInt8(ascii: "u") else {
      guard Self.controlLetter(letter.pointee) != nil else {
        throw fault(.invalidEscape, at: letter >= end ? end : backslash)
      }
      return letter + 1
    }
    let unit = try hexadecimal(after: backslash)
    guard unit & 0xF800 == 0xD800 else { return backslash + 6 }
    // The low surrogate must follow a high surrogate at once.
    guard unit & 0xFC00 == 0xD800 else { throw fault(.loneSurrogate, at: backslash) }
    for (index, expected) in zip(6...7, "\\u".utf8) where backslash[index] != expected {
      throw fault(.loneSurrogate, at: backslash + index >= end ? end : backslash)
    }
    guard try hexadecimal(after: backslash + 6) & 0xFC00 == 0xDC00 else {
      throw fault(.loneSurrogate, at: backslash)
    }
    return backslash + 12
  }

  /// Returns the value of the four digits of the `\u` escape at a backslash.
  private func hexadecimal(after backslash: UnsafePointer<UInt8>) throws(JSONFault) -> UInt32 {
    var value: UInt32 = 0
    for digit in backslash + 2..<backslash + 6 {
      guard let nibble = Hexadecimal.value(of: digit.pointee) else {
        throw fault(.invalidEscape, at: digit >= end ? end : backslash)
      }
      value = value << 4 | UInt32(nibble)
    }
    return value
  }

  /// Returns the byte for an escape of one letter; nil for any other letter.
  private static func controlLetter(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    default: nil
    }
  }

  // MARK: Contents

  /// Returns `count` bytes of the window from an index.
  @inline(__always)
  func bytes(_ position: Int, count: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: start + position, count: count)
  }

  /// Adds a string's text to a buffer, and decodes its escapes.
  func decode(_ string: JSONString, into output: inout [UInt8]) throws(JSONFault) {
    var next = start + string.position
    let last = next + string.count
    while next < last {
      let run = next
      while next < last, next.pointee != UInt8(ascii: "\\") { next += 1 }
      output.append(contentsOf: UnsafeBufferPointer(start: run, count: next - run))
      guard next < last else { return }
      if let byte = Self.controlLetter(next[1]) {
        output.append(byte)
        next += 2
        continue
      }
      var scalar = try hexadecimal(after: next)
      next += 6
      if scalar & 0xFC00 == 0xD800 {
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (try hexadecimal(after: next)) & 0x3FF
        next += 6
      }
      Unicode.Scalar(scalar).map { output.append(contentsOf: $0.utf8) }
    }
  }

  /// Returns whether a string's text equals `text`.
  func matches(_ string: JSONString, _ text: [UInt8]) throws(JSONFault) -> Bool {
    guard string.isEscaped else {
      return text.elementsEqual(bytes(string.position, count: string.count))
    }
    var decoded: [UInt8] = []
    try decode(string, into: &decoded)
    return decoded == text
  }
}
