/// Input that is not JSON (RFC 8259), or does not have the given format.
package struct JSONSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: UInt8, Sendable, CaseIterable {
    /// A byte that is not allowed at its position.
    case unexpectedByte
    /// The input ends too early.
    case unexpectedEnd
    /// A backslash that neither `"\/bfnrt` nor `u` with four hexadecimal digits follows.
    case invalidEscape
    /// Half of a UTF-16 surrogate pair, written as an escape.
    case loneSurrogate
    /// Bytes that are not UTF-8; the location is the sequence's first byte.
    case invalidUTF8
    /// A byte below 0x20 in a string.
    case controlCharacter
    /// A malformed number, such as a number with a leading zero or without required digits.
    case invalidNumber
    /// Arrays and objects nested more than `JSONReader.maximumDepth` deep.
    case tooDeep
    /// Text after the end of the document, or after the record of a line.
    case trailingGarbage
    /// The document has no array at the path of its format.
    case arrayNotFound
    /// A record, or a string outside of all records, is longer than the scanner may hold.
    case tooLong
  }

  package var code: Code
  package var location: JSONLocation
  package var message: String

  package init(code: Code, location: JSONLocation, message: String) {
    self.code = code
    self.location = location
    self.message = message
  }

  package var description: String { "\(message) at \(location)" }
}

extension JSONSyntaxError {
  /// The suggested remedy.
  var advice: String {
    switch code {
    case .tooLong: "raise ImportOptions.longestRecord"
    case .arrayNotFound: "check the path in the format .array(at:)"
    case .unexpectedByte where location.offset == 0 && message.contains("“{”"):
      "name the array inside of the object with the format .array(at:), read the object's members "
        + "with .members, or read .lines"
    case .unexpectedByte where message.contains("“{”"):
      "check that the source answers with JSON; if an object stands where the format has an array, "
        + "read its members with .members(at:)"
    case .unexpectedEnd: "load the input again, because its end is missing"
    case .unexpectedByte, .invalidEscape, .loneSurrogate, .invalidUTF8, .controlCharacter,
      .invalidNumber, .tooDeep, .trailingGarbage:
      "check that the source answers with JSON"
    }
  }
}

extension JSONSyntaxError.Code {
  /// Returns a readable sentence about the byte at which the error was found.
  func message(_ byte: UInt8) -> String {
    switch self {
    case .unexpectedByte: "unexpected \(Self.name(of: byte))"
    case .unexpectedEnd: "the input ends too early"
    case .invalidEscape: "invalid escape in a string"
    case .loneSurrogate: "half of a surrogate pair in a string"
    case .invalidUTF8: "invalid UTF-8 in a string, from \(Self.name(of: byte))"
    case .controlCharacter: "unescaped control character \(Self.name(of: byte)) in a string"
    case .invalidNumber: "invalid number, at \(Self.name(of: byte))"
    case .tooDeep: "more than \(JSONReader.maximumDepth) arrays and objects inside each other"
    case .trailingGarbage: "\(Self.name(of: byte)) after the end"
    case .arrayNotFound: "no array of records in the document"
    case .tooLong: "a record that is longer than the import may hold in memory"
    }
  }

  private static func name(of byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "“\(Unicode.Scalar(byte))”" }
    let digits = String(byte, radix: 16, uppercase: true)
    return "byte 0x\(digits.count == 1 ? "0" : "")\(digits)"
  }
}

/// The error that a reader throws: small, and relative to the reader's window.
///
/// `unexpectedEnd` in a window that is not final only means that more input is needed.
struct JSONFault: Error {
  var code: JSONSyntaxError.Code
  /// The index of the byte in the window.
  var position: Int
}
