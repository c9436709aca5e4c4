internal import Foundation

/// The cell of the key attribute, which identifies a record in its table.
///
/// Integers and 16-byte blobs (UUIDs) are held inline, so hashing and comparing them does not touch
/// the heap. Keys have SQLite's order.
///
/// ```swift
/// do {
///   try await view.save()
/// } catch let error as StoreError where error.code == .uniquenessViolated {
///   if error.entity == "Song", let id = error.keys.first?.id(of: Song.self) { print(id) }
/// }
/// ```
public struct RecordKey: Sendable, Hashable {
  private enum Storage: Sendable, Hashable {
    case integer(Int64)
    /// The bytes of a UUID as two big-endian words, which sort as the bytes do.
    case uuid(UInt64, UInt64)
    case other(Cell)
  }

  private let storage: Storage

  /// Creates the key with the given cell.
  public init(_ cell: Cell) {
    switch cell {
    case .integer(let value): storage = .integer(value)
    case .blob(let bytes) where bytes.count == 16:
      storage = bytes.withUnsafeBytes(Self.uuid)
    default: storage = .other(cell)
    }
  }

  init(_ value: Int64) { storage = .integer(value) }

  @inline(__always)
  init(_ view: RecordView, _ column: Int) {
    let payload = view.payload(column)
    switch view.tag(column) {
    case CellTag.integer.rawValue: storage = .integer(RecordView.integer(payload))
    case CellTag.blob.rawValue where payload.count == 16: storage = Self.uuid(payload)
    default: storage = .other(view.cell(column))
    }
  }

  private static func uuid(_ bytes: UnsafeRawBufferPointer) -> Storage {
    .uuid(
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  /// The key as a cell.
  public var cell: Cell {
    switch storage {
    case .integer(let value): return .integer(value)
    case .uuid(let high, let low):
      var data = Data(capacity: 16)
      withUnsafeBytes(of: high.bigEndian) { data.append(contentsOf: $0) }
      withUnsafeBytes(of: low.bigEndian) { data.append(contentsOf: $0) }
      return .blob(data)
    case .other(let cell): return cell
    }
  }

  /// A hash of 64 bits that is the same for equal keys in every process and on every machine.
  ///
  /// Its bits are spread evenly. `hashValue`, in contrast, differs between processes.
  package var stableHash: UInt64 {
    switch storage {
    case .integer(let value): return SplitMix64.mixed(UInt64(bitPattern: value))
    case .uuid(let high, let low): return SplitMix64.mixed(SplitMix64.mixed(high) ^ low)
    case .other(.null): return SplitMix64.mixed(1)
    case .other(.integer(let value)): return SplitMix64.mixed(UInt64(bitPattern: value))
    case .other(.real(let value)):
      return SplitMix64.mixed(SplitMix64.mixed(2) ^ (value + 0).bitPattern)
    case .other(.text(let text)): return Self.mixed(text.utf8, seed: 3)
    case .other(.blob(let bytes)): return Self.mixed(bytes, seed: 4)
    }
  }

  private static func mixed(_ bytes: some Sequence<UInt8>, seed: UInt64) -> UInt64 {
    var (hash, word, count) = (SplitMix64.mixed(seed), UInt64(0), UInt64(0))
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      count += 1
      if count.isMultiple(of: 8) { hash = SplitMix64.mixed(hash ^ word) }
    }
    return SplitMix64.mixed(SplitMix64.mixed(hash ^ word) ^ count)
  }

  /// The integer of an integer key; nil for other keys.
  @inline(__always)
  var integer: Int64? { if case .integer(let value) = storage { value } else { nil } }
}

extension RecordKey: Comparable {
  public static func < (left: RecordKey, right: RecordKey) -> Bool {
    switch (left.storage, right.storage) {
    case (.integer(let a), .integer(let b)): a < b
    case (.uuid(let a, let b), .uuid(let c, let d)): a < c || (a == c && b < d)
    default: left.cell < right.cell
    }
  }
}

extension RecordKey: CustomStringConvertible {
  public var description: String { cell.description }
}
