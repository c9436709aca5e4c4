internal import Foundation
internal import Strata

/// Values at the limits of a described column.
struct EdgeValues {
  private let column: SchemaDescription.Column
  /// The value's type; the type of typed keys is UUID.
  private let type: String
  private let isDistinct: Bool
  /// The cells that the test gives for the type.
  private let given: [Cell]

  /// - Parameter isDistinct: whether all values must differ, as in keys and unique columns.
  init(_ column: SchemaDescription.Column, isDistinct: Bool, given: [Cell]?) {
    self.column = column
    type = column.valueType.hasPrefix("Key<") ? "UUID" : column.valueType
    self.isDistinct = isDistinct
    self.given = given ?? []
  }

  /// The number of distinct values, without null.
  var count: Int {
    if !given.isEmpty { return given.count }
    return switch type {
    case "Bool": 2
    case "Int8", "UInt8": 256
    case "Int16", "UInt16": 65_536
    default: column.example == nil ? .max : 1
    }
  }

  /// Returns the value of row `row`.
  ///
  /// An optional column is null in the first row, at random, and when it has no more distinct
  /// values.
  func value(_ row: Int, _ random: inout SeededRandom) -> Cell {
    if column.isOptional && (row == 0 || isDistinct && row >= count || random.oneIn(5)) {
      return .null
    }
    if !given.isEmpty { return given[row % given.count] }
    if isDistinct && column.example == nil { return distinct(row) }
    if let edges = Self.edges[type] { return edges[row % edges.count] }
    if let example = column.example { return example }
    if column.isOptional && !type.hasPrefix("Array<") && !type.hasPrefix("Dictionary<") {
      return .null
    }
    return fallback(row)
  }

  /// Returns a value that differs for every row. The first values are at the limits of the type.
  private func distinct(_ row: Int) -> Cell {
    switch type {
    case "Int8": return .integer(Int64(Int8(truncatingIfNeeded: row)))
    case "Int16": return .integer(Int64(Int16(truncatingIfNeeded: row)))
    case "UInt8", "UInt16", "Bool": return .integer(Int64(row))
    case "UUID":
      var bytes = [UInt8](repeating: 0, count: 16)
      withUnsafeBytes(of: Int64(row).bigEndian) { bytes.replaceSubrange(8..., with: $0) }
      return .blob(Data(bytes))
    case "URL": return .text("https://example.org/\(row)")
    default: break
    }
    switch column.storage {
    case .integer:
      if type == "Int32" || type == "UInt32" { return .integer(Int64(row)) }
      return .integer(row == 0 ? .max : row == 1 && type.hasPrefix("I") ? .min : Int64(row))
    case .real: return .real(row == 0 ? .infinity : Double(row) / 3)
    case .text:
      if type == "Decimal" { return .text("\(row)") }
      return .text(row == 0 ? "" : "größe 日\u{0}'\"\(row)")
    case .blob: return .blob(row == 0 ? Data() : Data("\(row)".utf8))
    }
  }

  private func fallback(_ row: Int) -> Cell {
    if type.hasPrefix("Array<") { return .text("[]") }
    if type.hasPrefix("Dictionary<") { return .text("{}") }
    switch column.storage {
    case .integer: return .integer(0)
    case .real: return .real(0)
    case .text: return .text("")
    case .blob: return .blob(Data())
    }
  }

  private static let edges: [String: [Cell]] = [
    "Int8": integers(-128, 127, 0), "Int16": integers(-32768, 32767, 0),
    "Int32": integers(Int64(Int32.min), Int64(Int32.max), 0),
    "Int64": integers(0, .min, .max), "Int": integers(0, .min, .max, -1),
    "UInt8": integers(0, 255), "UInt16": integers(0, 65535),
    "UInt32": integers(0, Int64(UInt32.max)), "UInt64": integers(0, -1, .min),
    "UInt": integers(0, -1, .min), "Bool": integers(0, 1),
    "Double": [
      .real(0), .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude),
      .real(.greatestFiniteMagnitude), .real(0.1),
    ],
    "Float": [.real(0), .real(Double(Float.greatestFiniteMagnitude)), .real(Double(Float(0.1)))],
    "Date": [.real(0), .real(-63_114_076_800), .real(64_092_211_200), .real(0.123_456_789)],
    "String": [
      .text(""), .text(" "), .text("größe 日 👩‍👩‍👧"), .text("a\u{0}b"), .text("e\u{301}"),
      .text("'\"--;"),
      .text(String(repeating: "long ", count: 2000)),
    ],
    "URL": [.text("https://example.org/a%20b?c=d#e"), .text("file:///")],
    "Decimal": [.text("0"), .text("-1.5"), .text("99999999999999999999999999999999999999")],
    "Data": [.blob(Data()), .blob(Data([0, 255])), .blob(Data(repeating: 7, count: 10_000))],
    "UUID": [
      .blob(Data(repeating: 0, count: 16)), .blob(Data(repeating: 255, count: 16)),
    ],
  ]

  private static func integers(_ values: Int64...) -> [Cell] { values.map { .integer($0) } }
}
