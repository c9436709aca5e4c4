internal import Foundation
internal import Strata

/// A reversed field: it writes the value of a column as the JSON that the field reads.
struct ValueWriter: Sendable {
  private(set) var column: Int
  private let kind: JSONColumn.Kind
  private let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the cell that is written; nil if it is the attribute's own.
  private let written: (@Sendable (Cell) throws(ValueError) -> Cell)?
  /// Makes the value that the field reads from null.
  private let fallback: (@Sendable () throws(ValueError) -> Cell)?
  /// The part of a joined value that is written; nil for the whole value.
  private var part: (index: Int, count: Int, separator: String)?

  /// - Parameter part: the index of the member that is written, if the field joins members.
  init(_ field: FieldDefinition, _ column: Int, part: Int) {
    self.column = column
    self.part = field.separator.map { (part, field.keys.count, $0) }
    kind = field.kind
    convert = field.convert
    written = field.write
    fallback = field.fallback
  }

  /// Creates a writer by the conversion that the attribute's type suggests.
  init(_ type: any AttributeValue.Type, _ column: Int) {
    func make<Value: AttributeValue>(_: Value.Type) -> ValueWriter {
      ValueWriter(Conversion<Value>.automatic, column)
    }
    self = make(type)
  }

  private init<Value: AttributeValue>(_ conversion: Conversion<Value>, _ column: Int) {
    self.column = column
    kind = conversion.kind
    convert = conversion.convert
    written = conversion.write
    fallback = nil
  }

  /// Returns a writer of the same value in a column of another table.
  func at(_ column: Int) -> ValueWriter {
    var copy = self
    copy.column = column
    return copy
  }

  // MARK: - Writing

  /// - Throws: ``StoreError`` with code `invalidValue` for a value that the field would not read
  ///   back.
  func write(
    _ record: Record, of table: Table, _ writer: inout JSONWriter
  ) throws(StoreError) {
    let cell = record[column]
    do throws(ValueError) { try write(cell, &writer) } catch {
      throw table.unwritable(error, column, of: record)
    }
  }

  private func write(_ cell: Cell, _ writer: inout JSONWriter) throws(ValueError) {
    if cell == .null {
      if let value = try fallback?(), value != .null {
        throw ValueError("nil would be read as \(value)")
      }
      return writer.appendNull()
    }
    if let part, case .text(let text) = cell {
      let parts = text.components(separatedBy: part.separator)
      guard parts.count == part.count else {
        throw ValueError("is not \(part.count) values with \"\(part.separator)\" between them")
      }
      return writer.append(parts[part.index])
    }
    let scanned = try append(try written?(cell) ?? cell, &writer)
    // Only the conversion of the caller can tell whether it reads the written value back.
    guard let convert else { return }
    let read = try convert(scanned)
    if read != cell { throw ValueError("\(cell) would be read as \(read)") }
  }

  /// Appends a value, and returns the cell that a reader passes to the conversion.
  private func append(_ cell: Cell, _ writer: inout JSONWriter) throws(ValueError) -> Cell {
    if case .custom = kind { return .text(try appendCustom(cell, &writer)) }
    switch (kind, cell) {
    case (.bool, .integer(let value)): writer.append(value != 0)
    case (.integer, .integer(let value)): writer.append(value)
    case (.unsigned, .integer(let value)): writer.append(UInt64(bitPattern: value))
    case (.real, .real(let value)): try append(value, &writer)
    case (.date(let format), .real(let value)): try append(value, format, &writer)
    case (.text, .text(let text)): writer.append(text)
    case (.json, .text(let text)):
      writer.append(json: text)
      if text == "null" { return .null }
    case (.base64, .blob(let bytes)): writer.append(bytes.base64EncodedString())
    case (.uuid, .blob(let bytes)) where bytes.count == 16: writer.append(uuid: bytes)
    default: throw ValueError("the field reads nothing that \(cell) could be written as")
    }
    return cell
  }

  /// Appends a value for a conversion of the caller, which takes the text of any value.
  private func appendCustom(
    _ cell: Cell, _ writer: inout JSONWriter
  ) throws(ValueError) -> String {
    let first = writer.bytes.count
    switch cell {
    case .text(let text):
      writer.append(text)
      return text
    case .integer(let value): writer.append(value)
    case .real(let value): try append(value, &writer)
    case .blob(let bytes):
      writer.append(bytes.base64EncodedString())
      return bytes.base64EncodedString()
    case .null: writer.appendNull()
    }
    return String(decoding: writer.bytes[first...], as: UTF8.self)
  }

  private func append(_ value: Double, _ writer: inout JSONWriter) throws(ValueError) {
    guard value.isFinite else { throw ValueError("JSON has no number for \(value)") }
    writer.append(value)
  }

  private func append(
    _ date: Double, _ format: JSONColumn.DateFormat, _ writer: inout JSONWriter
  ) throws(ValueError) {
    switch format {
    case .iso8601, .iso8601UTC:
      guard let text = JSONDate.text(secondsSinceReferenceDate: date) else {
        throw ValueError("the year of \(date) has more than six digits")
      }
      writer.append(text)
    // A number of seconds since 1970 rounds the date to the number's precision.
    case .epochSeconds: try append(date + 978_307_200, &writer)
    case .epochMilliseconds: try append(date * 1000 + 978_307_200_000, &writer)
    case .epochMicroseconds: try append(date * 1_000_000 + 978_307_200_000_000, &writer)
    }
  }
}
