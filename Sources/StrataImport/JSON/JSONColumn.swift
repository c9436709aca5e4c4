/// The value that a slot of a scanned record takes from each record.
package struct JSONColumn: Sendable, Equatable {
  package enum Kind: Sendable, Hashable {
    /// A number that is an integer of 64 bits, in any notation (`1`, `1.0`, `1e3`).
    case integer
    /// A number that is an integer from 0 to 2^64 - 1, as its 64-bit pattern.
    case unsigned
    /// A number, as the nearest `Double`.
    case real
    /// `true` or `false`, as the integer 1 or 0.
    case bool
    /// A string.
    case text
    /// A string in base 64 (RFC 4648, either alphabet, padding optional), as a blob.
    case base64
    /// A string of 36 characters, as a blob of 16 bytes.
    case uuid
    /// A date, as real seconds since 2001-01-01T00:00:00Z.
    case date(DateFormat)
    /// The JSON text of a value of any kind, as it stands in the input; `null` stays null.
    case json
    /// The text of a string, or the JSON text of any other value, for a conversion of the caller.
    ///
    /// The number identifies the conversion.
    case custom(Int)
    /// The text of a string, or the digits of a number that is an integer of 64 bits.
    case name

    /// The kind that also takes numbers, if strings and numbers may stand for each other.
    ///
    /// A text takes the digits of an integer; kinds of numbers take a number in a string by
    /// `allowsNumberInString`.
    var takingNumbers: Kind { self == .text ? .name : self }

    /// Whether an object or an array becomes its JSON text.
    var hasJSONText: Bool {
      switch self {
      case .json, .custom: true
      case .integer, .unsigned, .real, .bool, .text, .base64, .uuid, .date, .name: false
      }
    }
  }

  package enum DateFormat: Sendable, Hashable {
    /// A string that `JSONDate` reads.
    case iso8601
    /// A string that `JSONDate` reads, in UTC if it has no zone.
    case iso8601UTC
    /// A number of seconds since 1970-01-01T00:00:00Z.
    case epochSeconds
    /// A number of milliseconds since 1970-01-01T00:00:00Z.
    case epochMilliseconds
    /// A number of microseconds since 1970-01-01T00:00:00Z.
    case epochMicroseconds
  }

  package var path: JSONPath
  package var kind: Kind
  /// Whether a missing value or `null` is an error.
  package var isRequired: Bool
  /// Whether a string that contains exactly one JSON number counts as that number.
  package var allowsNumberInString: Bool
  /// Whether a value that does not fit becomes `ScannedRecord.Cell.unfit` instead of an error.
  package var takesAny: Bool

  package init(
    _ path: JSONPath, _ kind: Kind, isRequired: Bool = false, allowsNumberInString: Bool = false,
    takesAny: Bool = false
  ) {
    self.path = path
    self.kind = kind
    self.isRequired = isRequired
    self.allowsNumberInString = allowsNumberInString
    self.takesAny = takesAny
  }
}
