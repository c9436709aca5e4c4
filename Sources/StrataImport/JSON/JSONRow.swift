/// One record's values, in a buffer that is used again for the next record.
///
/// A cell says what a slot holds; text and blobs are bytes of the row, without a `String` for each.
package struct JSONRow: Sendable {
  package enum Cell: Sendable, Equatable {
    /// The record has no such member.
    case missing
    /// The member, or something that should contain it, is `null`.
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8; may contain NUL.
    case text(Bytes)
    case blob(Bytes)
    /// A value that does not fit a column which takes any.
    case unfit
  }

  /// A place in the row's bytes.
  package struct Bytes: Sendable, Equatable {
    var offset: Int
    package var count: Int
    /// Whether the bytes were decoded, or stand in the record as they are.
    var isDecoded: Bool
  }

  /// By slot.
  package internal(set) var cells: [Cell] = []
  /// The absolute offset of the record's first byte in the input.
  package private(set) var offset = 0

  /// The record's JSON text: copied once, so that most text needs no further copy.
  private var source: [UInt8] = []
  /// Strings without their escapes, and blobs.
  var decoded: [UInt8] = []
  /// The first value that did not fit its column.
  private(set) var fault: JSONValueFault?

  package init() {}

  /// The bytes of a text or blob cell of this row.
  package func withBytes<Result, Failure: Error>(
    _ bytes: Bytes, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let range = bytes.offset..<bytes.offset + bytes.count
    func sliced(_ buffer: UnsafeBufferPointer<UInt8>) throws(Failure) -> Result {
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[range])))
    }
    return try bytes.isDecoded
      ? decoded.withUnsafeBufferPointer(sliced) : source.withUnsafeBufferPointer(sliced)
  }

  /// The bytes of a text or blob cell of this row, copied.
  package func bytes(_ bytes: Bytes) -> [UInt8] { withBytes(bytes) { Array($0) } }

  /// A text cell of this row as a string.
  package func string(_ bytes: Bytes) -> String {
    withBytes(bytes) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of the whole record as it stands in the input.
  func withSource(_ body: (UnsafeRawBufferPointer) -> Void) { source.withUnsafeBytes(body) }

  /// The bytes of the whole record.
  var count: Int { source.count }

  /// The whole record as it stands in the input.
  package var json: String { String(decoding: source, as: UTF8.self) }

  // MARK: Filling

  mutating func begin(_ slotCount: Int, offset: Int) {
    self.offset = offset
    if cells.count == slotCount {
      for slot in cells.indices { cells[slot] = .missing }
    } else {
      cells = [Cell](repeating: .missing, count: slotCount)
    }
    decoded.removeAll(keepingCapacity: true)
    fault = nil
  }

  mutating func end(_ record: UnsafeBufferPointer<UInt8>) {
    source.removeAll(keepingCapacity: true)
    source.append(contentsOf: record)
  }

  /// Notes that a value does not fit its column; the first is the one that is reported.
  mutating func note(_ fault: JSONValueFault) {
    if self.fault == nil { self.fault = fault }
  }
}
