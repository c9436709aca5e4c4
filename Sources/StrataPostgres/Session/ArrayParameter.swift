internal import Strata
internal import StrataReplica

/// An array of values of one type, in the binary format of PostgreSQL.
struct ArrayParameter {
  private let type: ColumnType
  private var count = 0
  private var hasNull = false
  private var elements: [UInt8] = []

  init(of type: ColumnType) { self.type = type }

  /// Appends a value.
  ///
  /// - Throws: ``RefusalReason`` if the type does not have the value.
  mutating func append(_ cell: Cell) throws(RefusalReason) {
    count += 1
    switch (cell, type) {
    case (.null, _):
      hasNull = true
      append(Int32(-1))
    case (.integer(let value), .bool):
      append(Int32(1))
      elements.append(value == 0 ? 0 : 1)
    case (.integer(let value), .int2): try append(Int16(exactly: value), value)
    case (.integer(let value), .int4): try append(Int32(exactly: value), value)
    case (.integer(let value), .int8): try append(value, value)
    case (.real(let value), .float4): try append(Float(value).bitPattern, value)
    case (.real(let value), .float8): try append(value.bitPattern, value)
    case (.real(let value), .timestamptz): try append(Self.microseconds(value), value)
    case (.text(var text), _): append(bytes: text.withUTF8 { Array($0) })
    case (.blob(let bytes), _): append(bytes: Array(bytes))
    case (.integer, _), (.real, _): throw .outOfRange("\(cell)", type)
    }
  }

  /// Returns the microseconds since 2000 of seconds since 2001; nil if PostgreSQL has no such time.
  private static func microseconds(_ seconds: Double) -> Int64? {
    if seconds.isInfinite { return seconds > 0 ? .max : .min }
    let microseconds = (seconds * 1_000_000).rounded()
    return Int64(exactly: microseconds).flatMap {
      let (sum, isOver) = $0.addingReportingOverflow(366 * 86_400_000_000)
      return isOver ? nil : sum
    }
  }

  private mutating func append<T: FixedWidthInteger>(
    _ value: T?, _ cell: some CustomStringConvertible
  ) throws(RefusalReason) {
    guard let value else { throw .outOfRange("\(cell)", type) }
    append(Int32(T.bitWidth / 8))
    append(value)
  }

  private mutating func append(bytes: [UInt8]) {
    append(Int32(truncatingIfNeeded: bytes.count))
    elements += bytes
  }

  private mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { elements += $0 }
  }

  /// The number of dimensions, the flag of nulls, the type, the length and the first index, and
  /// then the elements, each after its length.
  private var header: [UInt8] {
    [1, hasNull ? 1 : 0, Int32(type.elementNumber), Int32(truncatingIfNeeded: count), 1].flatMap {
      withUnsafeBytes(of: $0.bigEndian) { Array($0) }
    }
  }

  /// Lends the arrays to a call of libpq.
  static func withPointers<Result>(
    _ arrays: [ArrayParameter],
    _ body: ([UnsafePointer<CChar>?], [Int32]) -> Result
  ) -> Result {
    let copies = arrays.map { array in
      let header = array.header
      let copy = UnsafeMutableRawBufferPointer.allocate(
        byteCount: header.count + array.elements.count, alignment: 8)
      copy.copyBytes(from: header)
      UnsafeMutableRawBufferPointer(rebasing: copy[header.count...]).copyBytes(
        from: array.elements)
      return copy
    }
    defer { for copy in copies { copy.deallocate() } }
    return body(
      copies.map { UnsafePointer($0.baseAddress?.assumingMemoryBound(to: CChar.self)) },
      copies.map { Int32(truncatingIfNeeded: $0.count) })
  }
}

extension ColumnType {
  /// The number of the type of an array's elements. A number of any size is sent as text.
  fileprivate var elementNumber: UInt32 { self == .varchar ? 25 : resultNumber }

  /// The type of an array of values in SQL.
  var arrayType: String {
    switch self {
    case .text, .varchar, .numeric: "text[]"
    default: "\(rawValue)[]"
    }
  }
}

extension RefusalReason: Error {}

extension RefusalReason {
  /// `numeric_value_out_of_range`
  static func outOfRange(
    _ value: String, _ type: ColumnType
  ) -> RefusalReason {
    RefusalReason(
      sqlState: "22003", message: "the server's type \(type.rawValue) does not have \(value)")
  }
}
