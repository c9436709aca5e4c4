internal import Foundation

/// A builder that packs cells into records, column by column, in a reused buffer.
///
/// For each record, call ``begin(columns:)``, then one `append` per column in order, then
/// ``finish()``. If a row is too large for the packed format, ``finish()`` throws. The builder can
/// then start another record.
package final class RecordBuilder {
  private var base: UnsafeMutableRawPointer
  private var capacity: Int
  private var columns = 0
  private var column = 0
  private var payloads = 0
  private var end = 0
  /// The first cell that did not fit into a record; nil if all did.
  private(set) var overflow: Int?

  package init() {
    capacity = 1024
    base = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { base.deallocate() }

  package func begin(columns: Int) {
    self.columns = columns
    column = 0
    payloads = RecordView.headerSize &+ columns &* 4
    end = 0
    overflow = nil
    reserve(0)
    base.storeBytes(of: UInt16(truncatingIfNeeded: columns), as: UInt16.self)
  }

  /// Makes room for `count` more bytes of payload.
  @inline(__always)
  private func reserve(_ count: Int) {
    if capacity < payloads &+ end &+ count &+ 16 { grow(payloads &+ end &+ count &+ 16) }
  }

  @inline(never)
  private func grow(_ needed: Int) {
    let larger = max(capacity * 2, needed)
    let copy = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 8)
    copy.copyMemory(from: base, byteCount: capacity)
    base.deallocate()
    base = copy
    capacity = larger
  }

  @inline(__always)
  private func close(_ tag: CellTag, _ count: Int) {
    end &+= count
    base.storeBytes(
      of: tag.rawValue << 29 | UInt32(truncatingIfNeeded: end) & RecordView.endMask,
      toByteOffset: RecordView.headerSize &+ column &* 4, as: UInt32.self)
    column &+= 1
  }

  @inline(__always)
  package func appendNull() { close(.null, 0) }

  @inline(__always)
  package func append(_ value: Int64) {
    reserve(8)
    let target = base + (payloads &+ end)
    if value == 0 {
      close(.integer, 0)
    } else if let small = Int8(exactly: value) {
      target.storeBytes(of: small, as: Int8.self)
      close(.integer, 1)
    } else if let small = Int16(exactly: value) {
      target.storeBytes(of: small.littleEndian, as: Int16.self)
      close(.integer, 2)
    } else if let small = Int32(exactly: value) {
      target.storeBytes(of: small.littleEndian, as: Int32.self)
      close(.integer, 4)
    } else {
      target.storeBytes(of: value.littleEndian, as: Int64.self)
      close(.integer, 8)
    }
  }

  /// Appends a real, with `-0.0` as `0.0`, as in a REAL column.
  @inline(__always)
  package func append(_ value: Double) {
    reserve(8)
    (base + (payloads &+ end)).storeBytes(
      of: (value + 0.0).bitPattern.littleEndian, as: UInt64.self)
    close(.real, 8)
  }

  @inline(__always)
  package func append(text: UnsafeRawBufferPointer) { append(text, .text) }

  @inline(__always)
  package func append(blob: UnsafeRawBufferPointer) { append(blob, .blob) }

  @inline(__always)
  private func append(_ bytes: UnsafeRawBufferPointer, _ tag: CellTag) {
    guard bytes.count <= RecordView.maximumPayload &- end else {
      if overflow == nil { overflow = column }
      return close(tag, 0)
    }
    reserve(bytes.count)
    if let source = bytes.baseAddress, bytes.count > 0 {
      memcpy(base + (payloads &+ end), source, bytes.count)
    }
    close(tag, bytes.count)
  }

  @inline(__always)
  package func append(_ text: String) {
    var text = text
    text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
  }

  package func append(_ cell: Cell) {
    switch cell {
    case .null: appendNull()
    case .integer(let value): append(value)
    case .real(let value): append(value)
    case .text(let value): append(value)
    case .blob(let value): value.withUnsafeBytes { append(blob: $0) }
    }
  }

  /// Appends a copy of another record's cell.
  package func append(_ column: Int, of record: Record) {
    record.withView { view in
      switch view.tag(column) {
      case CellTag.integer.rawValue: append(view.integer(column))
      case CellTag.real.rawValue: append(view.real(column))
      case CellTag.text.rawValue: append(text: view.payload(column))
      case CellTag.blob.rawValue: append(blob: view.payload(column))
      default: appendNull()
      }
    }
  }

  /// Appends copies of another record's cells.
  func append(_ columns: Range<Int>, of record: Record) {
    for column in columns { append(column, of: record) }
  }

  /// Returns the record of the cells appended since ``begin(columns:)``.
  package func finish() throws(ValueError) -> Record {
    guard column == columns else { fatalError("\(column) of \(columns) cells were appended") }
    if overflow != nil { throw ValueError("the row is larger than 512 MB") }
    return Record(copying: UnsafeRawBufferPointer(start: base, count: payloads &+ end))
  }
}
