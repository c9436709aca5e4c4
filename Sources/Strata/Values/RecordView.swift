internal import Foundation

/// The storage class of a cell in a record, with the values of the packed format's tag.
enum CellTag: UInt32 {
  case null = 0
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
}

/// The packed format of a record, read in place.
///
/// A record is a 16-bit column count, one 32-bit descriptor per column (3 bits of tag, 29 bits of
/// payload end), then the payloads without alignment: integers in the fewest of 0, 1, 2, 4 or 8
/// bytes, reals in 8, text and blobs as they are. The encoding of a value is unique, so two
/// records are equal exactly if their bytes are, and a cell is found in constant time.
///
/// This is the one type that reads a record through a pointer. It is handed out only inside
/// ``Record/withView(_:)``, which keeps the bytes alive.
struct RecordView {
  static let headerSize = 2
  static let endMask: UInt32 = 0x1FFF_FFFF
  static let maximumPayload = Int(endMask)

  /// Where the descriptors start; any valid address of the record.
  let start: UnsafeRawPointer
  private let payloads: UnsafeRawPointer
  let count: Int

  @inline(__always)
  init(_ bytes: UnsafeRawPointer) {
    count = Int(bytes.loadUnaligned(as: UInt16.self))
    start = bytes + Self.headerSize
    payloads = start + count &* 4
  }

  @inline(__always)
  func descriptor(_ column: Int) -> UInt32 {
    start.loadUnaligned(fromByteOffset: column &* 4, as: UInt32.self)
  }

  @inline(__always)
  func tag(_ column: Int) -> UInt32 { descriptor(column) >> 29 }

  @inline(__always)
  func isNull(_ column: Int) -> Bool { tag(column) == CellTag.null.rawValue }

  @inline(__always)
  func payload(_ column: Int) -> UnsafeRawBufferPointer {
    let end = Int(descriptor(column) & Self.endMask)
    let start = column == 0 ? 0 : Int(descriptor(column &- 1) & Self.endMask)
    return UnsafeRawBufferPointer(start: payloads + start, count: end &- start)
  }

  /// The integer of a cell; 0 for a cell of another storage class, which only damage can bring.
  @inline(__always)
  func integer(_ column: Int) -> Int64 {
    tag(column) == CellTag.integer.rawValue ? Self.integer(payload(column)) : 0
  }

  /// The real of a cell; 0 for a cell of another storage class, which only damage can bring.
  @inline(__always)
  func real(_ column: Int) -> Double {
    tag(column) == CellTag.real.rawValue ? Self.real(payload(column)) : 0
  }

  /// The bytes of a text or a blob; none for a number, which only damage can bring.
  @inline(__always)
  func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    tag(column) >= CellTag.text.rawValue
      ? payload(column) : UnsafeRawBufferPointer(start: nil, count: 0)
  }

  func cell(_ column: Int) -> Cell {
    let payload = payload(column)
    switch tag(column) {
    case CellTag.integer.rawValue: return .integer(Self.integer(payload))
    case CellTag.real.rawValue: return .real(Self.real(payload))
    case CellTag.text.rawValue: return .text(String(decoding: payload, as: UTF8.self))
    case CellTag.blob.rawValue: return .blob(Data(payload))
    default: return .null
    }
  }

  @inline(__always)
  static func integer(_ payload: UnsafeRawBufferPointer) -> Int64 {
    guard let base = payload.baseAddress else { return 0 }
    switch payload.count {
    case 0: return 0
    case 1: return Int64(base.loadUnaligned(as: Int8.self))
    case 2: return Int64(Int16(littleEndian: base.loadUnaligned(as: Int16.self)))
    case 4: return Int64(Int32(littleEndian: base.loadUnaligned(as: Int32.self)))
    default: return Int64(littleEndian: base.loadUnaligned(as: Int64.self))
    }
  }

  @inline(__always)
  static func real(_ payload: UnsafeRawBufferPointer) -> Double {
    Double(bitPattern: UInt64(littleEndian: payload.loadUnaligned(as: UInt64.self)))
  }
}

// MARK: - Comparing

extension RecordView {
  /// Whether a cell is the same, storage class included.
  @inline(__always)
  func equals(_ column: Int, in other: RecordView) -> Bool {
    guard tag(column) == other.tag(column) else { return false }
    let a = payload(column)
    let b = other.payload(column)
    return a.count == b.count && CellOrder.compare(a, b) == 0
  }

  /// SQLite's order of one cell against a cell of another record.
  @inline(__always)
  func order(_ column: Int, to other: RecordView, _ otherColumn: Int) -> Int {
    let mine = tag(column)
    let theirs = other.tag(otherColumn)
    let a = payload(column)
    let b = other.payload(otherColumn)
    if mine == theirs {
      switch mine {
      case CellTag.text.rawValue, CellTag.blob.rawValue: return CellOrder.compare(a, b)
      case CellTag.integer.rawValue:
        let x = Self.integer(a)
        let y = Self.integer(b)
        return x < y ? -1 : x == y ? 0 : 1
      case CellTag.real.rawValue: return CellOrder.compare(Self.real(a), Self.real(b))
      default: return 0
      }
    }
    if mine == CellTag.integer.rawValue && theirs == CellTag.real.rawValue {
      return CellOrder.compare(Self.integer(a), Self.real(b))
    }
    if mine == CellTag.real.rawValue && theirs == CellTag.integer.rawValue {
      return -CellOrder.compare(Self.integer(b), Self.real(a))
    }
    return Int(mine) - Int(theirs)
  }
}
