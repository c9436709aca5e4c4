/// The values of a record, in buffers that the next record reuses.
///
/// A cell has the value of a slot. Text and blobs are bytes of the record, without a `String` for
/// each.
package struct ScannedRecord: Sendable {
  package enum Cell: Sendable, Equatable {
    /// The record has no such member.
    case missing
    /// The member, or a value that should contain it, is `null`.
    case null
    case integer(Int64)
    case real(Double)
    /// UTF-8; may contain NUL.
    case text(Bytes)
    case blob(Bytes)
    /// A value that does not fit its column, if the column takes any value.
    case unfit
  }

  /// A range of the record's bytes.
  package struct Bytes: Sendable, Equatable {
    var offset: Int
    package var count: Int
    /// Whether the bytes are decoded. Otherwise they are a part of the record's text.
    var isDecoded: Bool
  }

  /// The cells, by slot.
  package internal(set) var cells: [Cell] = []
  /// The absolute offset of the record's first byte in the input.
  package private(set) var offset = 0

  /// The record's JSON text. It is copied once, so that most text cells need no further copy.
  private var source: [UInt8] = []
  /// The bytes of strings whose escapes are decoded, and of blobs.
  var decoded: [UInt8] = []
  /// The first value that did not fit its column.
  private(set) var fault: JSONValueFault?

  package init() {}

  /// Calls `body` with the bytes of a text or blob cell of this record.
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

  /// Returns a copy of the bytes of a text or blob cell of this record.
  package func bytes(_ bytes: Bytes) -> [UInt8] { withBytes(bytes) { Array($0) } }

  /// Returns a text cell of this record as a string.
  package func string(_ bytes: Bytes) -> String {
    withBytes(bytes) { String(decoding: $0, as: UTF8.self) }
  }

  /// Calls `body` with the bytes of the whole record as it stands in the input.
  func withSource(_ body: (UnsafeRawBufferPointer) -> Void) { source.withUnsafeBytes(body) }

  /// The number of bytes in the record.
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

  /// Notes a value that does not fit its column. Only the first such value is reported.
  mutating func note(_ fault: JSONValueFault) {
    if self.fault == nil { self.fault = fault }
  }
}
