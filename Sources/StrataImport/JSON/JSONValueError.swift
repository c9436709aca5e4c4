/// A value that does not fit its column.
///
/// The record is valid JSON, and the records after it can be read.
package struct JSONValueError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Problem: Sendable, Equatable {
    /// A required column has no member in the record.
    case missing
    /// A required column is `null`.
    case null
    /// A value of another kind was found.
    case expected(Expectation)
    /// A number that is not an integer of 64 bits, for an integer column.
    case notAnInteger
    /// A number that is not an unsigned integer of 64 bits, for a column of unsigned integers.
    case notUnsigned
    /// A number beyond the range of `Double`.
    case numberOutOfRange
    case invalidDate
    case invalidUUID
    case invalidBase64
  }

  package enum Expectation: String, Sendable {
    case object = "an object"
    case array = "an array"
    case number = "a number"
    case bool = "a Boolean"
    case string = "a text"
    case date = "a date as a text"
    case uuid = "a UUID"
    case base64 = "a text of base 64"
  }

  package var problem: Problem
  /// The path of the column, or of the object or array that should contain columns.
  package var path: JSONPath
  /// The column's slot; nil if the path is not a column's.
  package var slot: Int?
  /// The value's JSON text, shortened to 80 bytes; empty for a required value that is missing.
  package var found: String
  /// The location of the value; for a required value that is missing, that of the record.
  package var location: JSONLocation

  package var description: String {
    "\(path.steps.isEmpty ? "record" : "\(path)"): \(problem.reason(found)) at \(location)"
  }
}

extension JSONValueError.Problem {
  /// Returns a readable sentence about a value's text.
  func reason(_ found: String) -> String {
    switch self {
    case .missing: "required and missing"
    case .null: "required and null"
    case .expected(let expectation): "expected \(expectation.rawValue), found \(found)"
    case .notAnInteger: "not an integer of 64 bits: \(found)"
    case .notUnsigned: "not an unsigned integer of 64 bits: \(found)"
    case .numberOutOfRange: "number out of range: \(found)"
    case .invalidDate: "not a date: \(found)"
    case .invalidUUID: "not a UUID: \(found)"
    case .invalidBase64: "not base 64: \(found)"
    }
  }
}

extension JSONValueError {
  /// The suggested remedy.
  var advice: String {
    problem.advice(found, isField: slot != nil && !path.steps.isEmpty, at: path)
  }
}

extension JSONValueError.Problem {
  /// Returns the suggested remedy for a value's text.
  ///
  /// - Parameters:
  ///   - isField: whether the value is read by a field, and not a record, or an object or array around
  ///     the values of fields.
  ///   - path: the path of the value within its record.
  func advice(_ found: String, isField: Bool, at path: JSONPath) -> String {
    if !isField {
      return path.steps.isEmpty
        ? "name an array of objects in the format, read plain values with Field(value:), or leave such "
          + "records out with ImportOptions.refusedRecords"
        : "check the paths of the fields inside of \(path), or leave such records out with "
          + "ImportOptions.refusedRecords"
    }
    let unknown = "give the field a value for unknown ones with .unknown(as:)"
    return switch self {
    case .missing, .null:
      "leave the record out of the feed, or give the field a default instead of required()"
    case .expected(.number) where found.hasPrefix("\""):
      "read numbers in text with allowingNumberInString(), or \(unknown)"
    case .expected, .notAnInteger, .notUnsigned, .numberOutOfRange, .invalidDate, .invalidUUID,
      .invalidBase64:
      "give the field another conversion, or \(unknown)"
    }
  }
}

/// A value that does not fit, as positions in the window and the plan.
struct JSONValueFault: Sendable {
  enum Site: Sendable {
    case slot(Int)
    case node(Int)

    var isSlot: Bool { if case .slot = self { true } else { false } }
  }

  var problem: JSONValueError.Problem
  var site: Site
  /// The range of the value in the window.
  var range: Range<Int>
}
