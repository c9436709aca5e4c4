import Foundation

/// The part of the input that has arrived and is not yet discarded.
///
/// The bytes are followed by NUL padding: a reader may load a word at any position and always meets
/// a byte that stops it. The window moves only when bytes are discarded: each byte is moved O(1)
/// times, whatever the sizes of the chunks. Lines are counted only then and for errors, from the
/// last count on.
struct JSONWindow: Sendable {
  /// At least the longest load past the end (8 bytes) and one byte to stop at.
  private static let padding = [UInt8](repeating: 0, count: 16)

  private var bytes = padding
  /// The bytes before this index are read and may be discarded.
  private(set) var consumed = 0
  private(set) var isFinal = false

  /// Absolute offset of the window's first byte.
  private var base = 0
  /// The line feeds before a byte.
  private struct LineCount: Sendable {
    /// The absolute offset of the byte.
    var offset = 0
    var lines = 0
    /// Absolute offset of the first byte of the line that it is on.
    var start = 0
  }
  /// Before the window's first byte.
  private var discarded = LineCount()
  /// The last one that was asked for, or `discarded`.
  private var counted = LineCount()

  private var count: Int { bytes.count - Self.padding.count }

  /// The number of bytes that have arrived and are not yet read.
  var unreadCount: Int { count - consumed }

  /// Adds input, discarding what is read when that is at least half of the window.
  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    precondition(!isFinal, "input after its end")
    if consumed >= unreadCount { discard() }
    bytes.removeLast(Self.padding.count)
    chunk.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: Self.padding)
  }

  /// Declares that all input has arrived.
  mutating func finish() { isFinal = true }

  /// Lets a reader go on where the last one committed; what this one commits counts even if it
  /// throws.
  mutating func read<Result>(
    _ body: (inout JSONReader) throws(JSONFault) -> Result
  ) throws(JSONFault) -> Result {
    let (position, count, base, isFinal) = (consumed, count, base, isFinal)
    var committed = consumed
    defer { consumed = committed }
    return try bytes.withUnsafeBufferPointer { (buffer) throws(JSONFault) -> Result in
      var reader = JSONReader(
        buffer, count: count, position: position, base: base, isFinal: isFinal)
      defer { committed = reader.committed }
      return try body(&reader)
    }
  }

  /// The byte at an index of the window; NUL at its end.
  subscript(position: Int) -> UInt8 { bytes[position] }

  /// The text of a range, at most 80 bytes of it; what is cut is replaced by an ellipsis.
  func excerpt(_ range: Range<Int>) -> String {
    guard range.count > 80 else { return String(decoding: bytes[range], as: UTF8.self) }
    var end = range.lowerBound + 77
    while bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[range.lowerBound..<end], as: UTF8.self) + "…"
  }

  /// Where a byte of the window is in the input.
  ///
  /// - Complexity: O(n) in the bytes since the last position that was asked for, or since the
  ///   window's beginning if that lies behind.
  mutating func location(of position: Int) -> JSONLocation {
    counted = lines(before: position)
    return JSONLocation(
      offset: counted.offset, line: counted.lines + 1, column: counted.offset - counted.start + 1)
  }

  /// How many bytes were read: unlike their lines, known without looking at them.
  var endOffset: Int { base + consumed }

  /// The line feeds in what was read.
  var endLines: Int { lines(before: consumed).lines }

  /// The index in the window of an absolute offset, unless it is discarded.
  func position(of offset: Int) -> Int? {
    (base...base + count).contains(offset) ? offset - base : nil
  }

  private mutating func discard() {
    discarded = lines(before: consumed)
    counted = discarded
    bytes.removeSubrange(..<consumed)
    base += consumed
    consumed = 0
  }

  /// Goes on from the last count that does not lie behind the position.
  private func lines(before position: Int) -> LineCount {
    var count = counted.offset <= base + position ? counted : discarded
    bytes.withUnsafeBytes { buffer in
      guard let first = buffer.baseAddress else { return }
      let end = first + position
      var next = first + (count.offset - base)
      while let lineFeed = memchr(next, 0x0A, end - next) {
        next = UnsafeRawPointer(lineFeed) + 1
        count.lines += 1
        count.start = base + (next - first)
      }
    }
    count.offset = base + position
    return count
  }
}

extension JSONWindow {
  /// Reads the next record of a traversal into `row`; false if there is none yet.
  mutating func next(
    _ traversal: inout JSONTraversal, _ plans: [JSONPlan], _ row: inout JSONRow
  ) throws(JSONFault) -> Bool {
    try read { (reader) throws(JSONFault) in try traversal.next(&reader, plans, &row) }
  }
}
