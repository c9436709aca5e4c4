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
    /// A value of another kind stands where the format needs an array, or an object around it.
    case misplacedValue
    /// A record, or a string outside of all records, is longer than the scanner may hold.
    case tooLong
    /// A document that begins as HTML and XML do.
    case markup
  }

  package var code: Code
  package var location: JSONLocation
  package var message: String
  /// The keys from the document to the array of the format, separated by dots.
  package var path: String?

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
    case .arrayNotFound:
      "check the path in the format .array(at:) or in the JSONDocument, and that the source answers "
        + "with records and not with an error"
    case .misplacedValue where path == "":
      "choose the format by the form of the document: .array, .array(at:), .members or .lines"
    case .misplacedValue:
      "name an array with the format .array(at:), or the object of the records with .members(at:); only "
        + "a JSONDocument takes a single record instead"
    case .markup:
      "sign in again, or open the address in a browser, which shows the page; a feed of XML cannot be "
        + "imported"
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
    case .misplacedValue: "\(Self.kind(byte)) stands in the place of an array"
    case .markup: "the input is a web page, perhaps a sign-in, and no JSON: “<”"
    case .tooLong: "a record that is longer than the import may hold in memory"
    }
  }

  /// Returns the kind of the value that begins with a byte.
  static func kind(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "{"): "an object"
    case UInt8(ascii: "["): "an array"
    case UInt8(ascii: "\""): "a text"
    case UInt8(ascii: "t"), UInt8(ascii: "f"): "a Boolean"
    default: "a number"
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
