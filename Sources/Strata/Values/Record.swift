internal import Foundation

/// A row of a table, as an immutable, packed sequence of cells.
///
/// All code below the typed edge works on records. The bytes are canonical, so equality is one
/// `memcmp`. Reading a cell takes constant time. In a live query over 100,000 songs with 11
/// attributes, each row takes 229 bytes for its record and its entries in both trees. In an array
/// of structs it takes 399 bytes (`strata-bench --only W7`).
package struct Record: Sendable {
  private let bytes: [UInt8]

  /// Copies a packed record out of a builder's buffer.
  @inline(__always)
  init(copying source: UnsafeRawBufferPointer) {
    bytes = [UInt8](unsafeUninitializedCapacity: source.count) { buffer, count in
      UnsafeMutableRawBufferPointer(buffer).copyMemory(from: source)
      count = source.count
    }
  }

  /// Lends the packed bytes for the duration of `body`.
  ///
  /// ``init(copying:)`` makes an equal record of these bytes.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { bytes.withUnsafeBytes(body) }

  /// Creates a record of the given cells, for tests and for rows that are rarely built.
  package init(_ cells: [Cell]) throws(ValueError) {
    let builder = RecordBuilder()
    builder.begin(columns: cells.count)
    for cell in cells { builder.append(cell) }
    self = try builder.finish()
  }

  /// Lends the packed cells for the duration of `body`.
  @inline(__always)
  func withView<R, Failure: Error>(_ body: (RecordView) throws(Failure) -> R) throws(Failure) -> R {
    let result = bytes.withUnsafeBytes { buffer -> Result<R, Failure> in
      // Every record has a header, so the buffer has an address.
      guard let base = buffer.baseAddress else { fatalError("a record without a header") }
      do throws(Failure) { return .success(try body(RecordView(base))) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// The number of cells.
  package var count: Int { withView { $0.count } }

  /// The size of the packed record in bytes.
  package var byteCount: Int { bytes.count }

  /// The cell of one column.
  ///
  /// - Precondition: `column` is at least 0 and below ``count``.
  package subscript(column: Int) -> Cell {
    withView { view in
      guard column >= 0 && column < view.count else {
        fatalError("a record of \(view.count) cells has no cell \(column)")
      }
      return view.cell(column)
    }
  }

  /// All cells in column order.
  package var cells: [Cell] { withView { view in (0..<view.count).map(view.cell) } }

  func isNull(_ column: Int) -> Bool { withView { $0.isNull(column) } }

  /// Returns the cell of the key column as a key.
  package func key(_ column: Int) -> RecordKey { withView { RecordKey($0, column) } }
}

extension Record: Equatable {
  package static func == (left: Record, right: Record) -> Bool {
    left.bytes.count == right.bytes.count
      && left.bytes.withUnsafeBytes { a in
        right.bytes.withUnsafeBytes { b in
          guard let x = a.baseAddress, let y = b.baseAddress else { return true }
          return x == y || memcmp(x, y, a.count) == 0
        }
      }
  }
}

extension Record: CustomStringConvertible {
  package var description: String {
    "(" + cells.map(\.description).joined(separator: ", ") + ")"
  }
}

// MARK: - Attribute by attribute

extension Record {
  /// Returns the columns in which two records of one table differ.
  package func differences(from other: Record) -> AttributeSet {
    withView { mine in
      other.withView { theirs in
        var result = AttributeSet()
        for column in 0..<mine.count where !mine.equals(column, in: theirs) {
          result.insert(column)
        }
        return result
      }
    }
  }

  /// Returns this record with the cells of `columns` taken from `other`.
  func replacing(_ columns: AttributeSet, from other: Record) -> Record {
    if columns.isEmpty { return self }
    return combining(other) { columns.contains($0) }
  }

  /// Returns this record with `other`'s cell in each column for which `takesOther` returns true.
  func combining(_ other: Record, _ takesOther: (Int) -> Bool) -> Record {
    withView { mine in
      other.withView { theirs in
        var size = RecordView.headerSize + mine.count * 4
        for column in 0..<mine.count {
          size += (takesOther(column) ? theirs : mine).payload(column).count
        }
        return Record(
          bytes: [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            let target = UnsafeMutableRawBufferPointer(buffer)
            target.storeBytes(of: UInt16(mine.count), as: UInt16.self)
            let payloads = RecordView.headerSize + mine.count * 4
            var end = 0
            for column in 0..<mine.count {
              let source = takesOther(column) ? theirs : mine
              let payload = source.payload(column)
              UnsafeMutableRawBufferPointer(rebasing: target[(payloads + end)...])
                .copyMemory(from: payload)
              end += payload.count
              target.storeBytes(
                of: source.tag(column) << 29 | UInt32(end),
                toByteOffset: RecordView.headerSize + column * 4, as: UInt32.self)
            }
            initialized = size
          })
      }
    }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }
}
