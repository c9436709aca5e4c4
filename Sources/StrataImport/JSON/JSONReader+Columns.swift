/// Reads values into the cells of columns.
extension JSONReader {
  /// Reads a value of any kind. A value that does not fit is noted in the record.
  ///
  /// This function reads the frequent kinds, and is inlined. Other kinds are read out of line.
  @inline(__always)
  mutating func column(
    _ field: JSONPlan.Field, _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    let byte = peek()
    let slot = field.target
    switch field.reading {
    case .text where byte == UInt8(ascii: "\""):
      scanned.cells[slot] = .text(try text(&scanned, record: record))
      return
    case .integer where Self.beginsNumber(byte):
      let first = cursor
      if let integer = try number().integer {
        scanned.cells[slot] = .integer(integer)
        return
      }
      cursor = first
    case .real where Self.beginsNumber(byte):
      let first = cursor
      let number = try number()
      if let real = number.fastReal {
        scanned.cells[slot] = .real(real)
        return
      }
      cursor = first
    case .iso8601 where byte == UInt8(ascii: "\""):
      let first = cursor
      let string = try string()
      let text = bytes(string.position, count: string.count)
      if let date = JSONDate.secondsSinceReferenceDate(text) {
        scanned.cells[slot] = .real(date)
        return
      }
      cursor = first
    case .bool where byte == UInt8(ascii: "t") || byte == UInt8(ascii: "f"):
      scanned.cells[slot] = .integer(try bool() ? 1 : 0)
      return
    case .text, .integer, .real, .iso8601, .bool, .container, .other, .several:
      if byte == UInt8(ascii: "n") {
        try null()
        scanned.cells[slot] = .null
        return
      }
    }
    try column(slot, plan.columns[slot], &scanned, record: record)
  }

  /// Reads one value by several columns, each of which begins at its first byte.
  @inline(never)
  mutating func columns(
    _ slots: [Int], _ plan: JSONPlan, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    let isNull = peek() == UInt8(ascii: "n")
    let first = cursor
    for slot in slots {
      cursor = first
      if isNull {
        try null()
        scanned.cells[slot] = .null
      } else {
        try column(slot, plan.columns[slot], &scanned, record: record)
      }
    }
  }

  @inline(never)
  private mutating func column(
    _ slot: Int, _ column: JSONColumn, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) {
    let first = cursor
    if let cell = try cell(column, &scanned, record: record) {
      scanned.cells[slot] = cell
    } else {
      cursor = first
      if column.takesAny {
        _ = try skippedRange()
        scanned.cells[slot] = .unfit
        return
      }
      scanned.cells[slot] = .missing
      try mismatch(slot, column.kind, &scanned)
    }
  }

  /// Reads a value that is not `null`; returns nil if the value does not fit.
  private mutating func cell(
    _ column: JSONColumn, _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) -> ScannedRecord.Cell? {
    let allowsString = column.allowsNumberInString
    switch column.kind {
    case .integer:
      return try number(allowsString) { number, _ in number.integer }.map { .integer($0) }
    case .unsigned:
      return try number(allowsString) { number, text in number.unsigned(text) }
        .map { .integer(Int64(bitPattern: $0)) }
    case .real:
      return try real(allowsString).map { .real($0) }
    case .bool:
      let isBool = cursor.pointee == UInt8(ascii: "t") || cursor.pointee == UInt8(ascii: "f")
      return isBool ? .integer(try bool() ? 1 : 0) : nil
    case .text:
      return isAtString ? .text(try text(&scanned, record: record)) : nil
    case .date(.iso8601):
      return try date(assumesUTC: false)
    case .date(.iso8601UTC):
      return try date(assumesUTC: true)
    case .date(.epochSeconds):
      return try real(allowsString).map { .real($0 - 978_307_200) }
    case .date(.epochMilliseconds):
      return try real(allowsString).map { .real(($0 - 978_307_200_000) / 1000) }
    case .date(.epochMicroseconds):
      return try real(allowsString).map { .real(($0 - 978_307_200_000_000) / 1_000_000) }
    case .json:
      return .text(try json(record: record))
    case .custom:
      return .text(isAtString ? try text(&scanned, record: record) : try json(record: record))
    case .name:
      if isAtString { return .text(try text(&scanned, record: record)) }
      return try number(false) { number, _ in number.integer }.map { integer in
        let first = scanned.decoded.count
        scanned.decoded += String(integer).utf8
        let count = scanned.decoded.count - first
        return .text(ScannedRecord.Bytes(offset: first, count: count, isDecoded: true))
      }
    case .uuid:
      return try blob(&scanned, Hexadecimal.decodeUUID)
    case .base64:
      return try blob(&scanned, Base64.decode)
    }
  }

  /// Skips a value that does not fit, and notes the reason.
  private mutating func mismatch(
    _ slot: Int, _ column: JSONColumn.Kind, _ scanned: inout ScannedRecord
  ) throws(JSONFault) {
    let kind = try kind()
    let problem: JSONValueError.Problem =
      switch column {
      case .integer: kind == .number ? .notAnInteger : .expected(.number)
      case .name: kind == .number ? .notAnInteger : .expected(.string)
      case .unsigned: kind == .number ? .notUnsigned : .expected(.number)
      case .real: kind == .number ? .numberOutOfRange : .expected(.number)
      case .bool: .expected(.bool)
      case .date(.iso8601), .date(.iso8601UTC): kind == .string ? .invalidDate : .expected(.date)
      case .date: kind == .number ? .numberOutOfRange : .expected(.number)
      case .uuid: kind == .string ? .invalidUUID : .expected(.uuid)
      case .base64: kind == .string ? .invalidBase64 : .expected(.base64)
      case .text, .json, .custom: .expected(.string)
      }
    let range = try skippedRange()
    scanned.note(JSONValueFault(problem: problem, site: .slot(slot), range: range))
  }

  private var isAtString: Bool { cursor.pointee == UInt8(ascii: "\"") }

  private mutating func date(assumesUTC: Bool) throws(JSONFault) -> ScannedRecord.Cell? {
    guard isAtString else { return nil }
    return try withText(try string()) {
      JSONDate.secondsSinceReferenceDate($0, assumesUTC: assumesUTC)
    }.map { .real($0) }
  }

  // MARK: Numbers

  @inline(__always)
  private static func beginsNumber(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") <= 9 || byte == UInt8(ascii: "-")
  }

  /// Reads a number, or a number in a string if allowed; returns nil for any other value.
  private mutating func number<Value>(
    _ allowsString: Bool, _ convert: (JSONNumber, UnsafeBufferPointer<UInt8>) -> Value?
  ) throws(JSONFault) -> Value? {
    if isAtString { return allowsString ? try numberInString(convert) : nil }
    guard Self.beginsNumber(cursor.pointee) else { return nil }
    let first = position
    let number = try number()
    return convert(number, bytes(first, count: position - first))
  }

  private mutating func numberInString<Value>(
    _ convert: (JSONNumber, UnsafeBufferPointer<UInt8>) -> Value?
  ) throws(JSONFault) -> Value? {
    try withText(try string()) { text in
      // The byte after the text, a quote or NUL, ends the number.
      guard var next = text.baseAddress, let number = JSONNumber(&next),
        next == text.baseAddress.map({ $0 + text.count })
      else { return nil }
      return convert(number, text)
    }
  }

  private mutating func real(_ allowsString: Bool) throws(JSONFault) -> Double? {
    try number(allowsString) { number, text in number.real(text) }
  }

  // MARK: Bytes

  /// Reads a string. Its bytes stay in the record unless the string has escapes.
  @inline(__always)
  private mutating func text(
    _ scanned: inout ScannedRecord, record: Int
  ) throws(JSONFault) -> ScannedRecord.Bytes {
    let string = try string()
    guard string.isEscaped else {
      return ScannedRecord.Bytes(
        offset: string.position - record, count: string.count, isDecoded: false)
    }
    let first = scanned.decoded.count
    try decode(string, into: &scanned.decoded)
    return ScannedRecord.Bytes(offset: first, count: scanned.decoded.count - first, isDecoded: true)
  }

  /// Reads a value of any kind as its JSON text.
  private mutating func json(record: Int) throws(JSONFault) -> ScannedRecord.Bytes {
    let range = try skippedRange()
    return ScannedRecord.Bytes(
      offset: range.lowerBound - record, count: range.count, isDecoded: false)
  }

  /// Reads a string and decodes it into bytes; returns nil if `decode` refuses it.
  private mutating func blob(
    _ scanned: inout ScannedRecord, _ decode: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Bool
  ) throws(JSONFault) -> ScannedRecord.Cell? {
    guard isAtString else { return nil }
    let first = scanned.decoded.count
    let isDecoded = try withText(try string()) { decode($0, &scanned.decoded) }
    guard isDecoded else { return nil }
    return .blob(
      ScannedRecord.Bytes(offset: first, count: scanned.decoded.count - first, isDecoded: true))
  }

  /// Calls `body` with a string's text. The byte after the text is never part of a number.
  private func withText<Value>(
    _ string: JSONString, _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) throws(JSONFault) -> Value {
    guard string.isEscaped else { return body(bytes(string.position, count: string.count)) }
    var text: [UInt8] = []
    try decode(string, into: &text)
    text.append(0)
    return text.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0.dropLast())) }
  }
}
