internal import Foundation

/// The storage class of a cell in a record, with the packed format's tag as its raw value.
enum CellTag: UInt32 {
  case null = 0
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
}

/// A view that reads the packed format of a record in place.
///
/// A record begins with a 16-bit column count. Each column then has a 32-bit descriptor (3 bits of
/// tag, 29 bits of payload end). The payloads come last, without alignment. An integer takes the
/// fewest of 0, 1, 2, 4 or 8 bytes, and a real takes 8. Text and blobs are kept as they are. Each
/// value has exactly one encoding, so two records are equal exactly if their bytes are equal.
/// Access to a cell takes constant time.
///
/// Only this type reads a record through a pointer. ``Record/withView(_:)`` alone hands it out, and
/// keeps the bytes alive meanwhile.
struct RecordView {
  static let headerSize = 2
  static let endMask: UInt32 = 0x1FFF_FFFF
  static let maximumPayload = Int(endMask)

  /// The address of the descriptors.
  ///
  /// It also serves wherever any valid address of the record is needed.
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

  /// Returns the integer of a cell.
  ///
  /// A cell of another storage class, which only a damaged store has, gives 0.
  @inline(__always)
  func integer(_ column: Int) -> Int64 {
    tag(column) == CellTag.integer.rawValue ? Self.integer(payload(column)) : 0
  }

  /// Returns the real of a cell.
  ///
  /// A cell of another storage class, which only a damaged store has, gives 0.
  @inline(__always)
  func real(_ column: Int) -> Double {
    tag(column) == CellTag.real.rawValue ? Self.real(payload(column)) : 0
  }

  /// Returns the bytes of a text or a blob.
  ///
  /// A number in its place, which only a damaged store has, gives no bytes.
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
  /// Returns whether a cell is the same in another record, including its storage class.
  @inline(__always)
  func equals(_ column: Int, in other: RecordView) -> Bool {
    guard tag(column) == other.tag(column) else { return false }
    let a = payload(column)
    let b = other.payload(column)
    return a.count == b.count && CellOrder.compare(a, b) == 0
  }

  /// Compares a cell with a cell of another record in SQLite's order.
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
