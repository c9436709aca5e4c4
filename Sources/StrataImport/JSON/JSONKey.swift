/// A key of a plan, as a word or two that are compared with the input.
struct JSONKey: Sendable {
  let count: Int
  /// The first 8 bytes as a word in memory order, and a mask of the bytes that the key has.
  private let head: UInt64
  private let headMask: UInt64
  /// The last 8 bytes, if the key has more than 8.
  private let tail: UInt64
  /// Whether head and tail cover the whole key, and its text needs no escapes.
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

  /// Returns whether the key and its closing quote are at `first`.
  ///
  /// True is certain. False means that only a full comparison can decide.
  @inline(__always)
  func isNext(at first: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> Bool {
    end - first > count && first[count] == UInt8(ascii: "\"") && isPredictable && isLike(first)
  }

  /// Returns whether the key may equal these bytes. The result is exact for at most 16 bytes.
  @inline(__always)
  func isLike(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count == count, let first = bytes.baseAddress else { return false }
    return isLike(first)
  }

  /// Compares both ends of `count` bytes. At least 8 bytes must be readable.
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
