public import Foundation

/// A value as SQLite stores it.
///
/// Cells are equal and ordered as in SQLite. The storage class comes first: null, numbers, text,
/// blobs. Integers and reals compare exactly with each other. Text and blobs compare byte by byte.
/// `1` equals `1.0`. Two texts that only look alike are different. Not-a-number sorts before all
/// other numbers, but no store holds it.
///
/// ```swift
/// for row in try await stack.read("SELECT title, bpm FROM songs") {
///   if case .real(let bpm) = try row["bpm"] { print(bpm) }
/// }
/// ```
public enum Cell: Sendable {
  /// The null value.
  case null
  /// A whole number of 64 bits.
  case integer(Int64)
  /// A floating-point number of 64 bits.
  case real(Double)
  /// Text, kept as UTF-8.
  case text(String)
  /// Bytes.
  case blob(Data)
}

extension Cell: Comparable {
  public static func == (left: Cell, right: Cell) -> Bool { left.order(to: right) == 0 }
  public static func < (left: Cell, right: Cell) -> Bool { left.order(to: right) < 0 }

  /// Returns a negative number, zero or a positive number as `self` sorts before, with or after
  /// `other`.
  package func order(to other: Cell) -> Int {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.integer(let a), .real(let b)): CellOrder.compare(a, b)
    case (.real(let a), .integer(let b)): -CellOrder.compare(b, a)
    case (.real(let a), .real(let b)): CellOrder.compare(a, b)
    case (.text(var a), .text(var b)):
      a.withUTF8 { a in b.withUTF8 { b in CellOrder.compare(.init(a), .init(b)) } }
    case (.blob(let a), .blob(let b)):
      a.withUnsafeBytes { a in b.withUnsafeBytes { b in CellOrder.compare(a, b) } }
    default: storageRank - other.storageRank
    }
  }

  /// The position of the storage class in SQLite's order.
  ///
  /// Integers and reals share a rank, because SQLite compares them by value.
  private var storageRank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }
}

extension Cell: Hashable {
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0 as UInt8)
    case .integer(let value): hasher.combine(value)
    case .real(let value):
      // Equal numbers need equal hashes, even in different storage classes.
      if let integer = Int64(exactly: value) {
        hasher.combine(integer)
      } else {
        hasher.combine(value)
      }
    case .text(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .blob(let value): value.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }
}

extension Cell: CustomStringConvertible {
  /// The value for messages.
  ///
  /// A text is cut to at most 80 bytes. A blob of 16 bytes is written as a UUID, and any other blob
  /// as its number of bytes.
  public var description: String {
    switch self {
    case .null: "null"
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): "\"\(value.shortened)\""
    case .blob(let value):
      value.count == 16
        ? value.withUnsafeBytes { "\(UUID(uuid: $0.loadUnaligned(as: uuid_t.self)))" }
        : "\(value.count) bytes"
    }
  }
}

extension String {
  /// The text, cut to at most 80 bytes for messages.
  package var shortened: String {
    if utf8.count <= 80 { return self }
    return String(self[..<utf8.index(startIndex, offsetBy: 77)]) + "…"
  }
}
