/// A key that a plan expects, laid out to be compared with input by a word or two.
struct JSONKey: Sendable {
  let count: Int
  /// The first 8 bytes as a word in memory order, and a mask of those that there are.
  private let head: UInt64
  private let headMask: UInt64
  /// The last 8 bytes, if there are more than 8.
  private let tail: UInt64
  /// Whether head and tail are all of it, and its text between quotes is valid as it stands.
  private let isPredictable: Bool

  init(_ key: String) {
    let text = Array(key.utf8)
    count = text.count
    head = Self.word(text.prefix(8))
    headMask = Self.word(text.prefix(8).map { _ in 0xFF })
    tail = count > 8 ? Self.word(text.suffix(8)) : 0
    isPredictable =
      count <= 16
      && !text.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
  }

  /// Whether the key and its closing quote are certainly at `first`; false if that takes a closer
  /// look.
  @inline(__always)
  func isNext(at first: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> Bool {
    end - first > count && first[count] == UInt8(ascii: "\"") && isPredictable && isLike(first)
  }

  /// Whether the key can be these bytes: it is, if it has at most 16.
  @inline(__always)
  func isLike(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count == count, let first = bytes.baseAddress else { return false }
    return isLike(first)
  }

  /// Compares the ends of `count` bytes; at least 8 must be readable.
  @inline(__always)
  private func isLike(_ first: UnsafePointer<UInt8>) -> Bool {
    Self.load(first) & headMask == head && (count <= 8 || Self.load(first + (count - 8)) == tail)
  }

  @inline(__always)
  private static func load(_ address: UnsafePointer<UInt8>) -> UInt64 {
    UInt64(littleEndian: UnsafeRawPointer(address).loadUnaligned(as: UInt64.self))
  }

  private static func word(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
