import Foundation

/// The part of the input that has arrived and is not discarded.
///
/// NUL padding follows the bytes. So a reader may load a word at any position, and always finds a
/// byte that stops it. The window moves bytes only when it discards others. Each byte is moved O(1)
/// times, whatever the sizes of the chunks. The window counts lines only then and for errors,
/// beginning at the last count.
struct JSONWindow: Sendable {
  /// The padding: at least the longest load past the end (8 bytes) and a byte that stops a reader.
  private static let padding = [UInt8](repeating: 0, count: 16)

  private var bytes = padding
  /// The bytes before this index are read and may be discarded.
  private(set) var consumed = 0
  private(set) var isFinal = false

  /// The absolute offset of the window's first byte.
  private var base = 0
  /// The number of line feeds before a byte.
  private struct LineCount: Sendable {
    /// The absolute offset of the byte.
    var offset = 0
    var lines = 0
    /// The absolute offset of the first byte of that byte's line.
    var start = 0
  }
  /// The count before the window's first byte.
  private var discarded = LineCount()
  /// The last count that was requested, or `discarded`.
  private var counted = LineCount()

  private var count: Int { bytes.count - Self.padding.count }

  /// The number of bytes that have arrived and are not yet read.
  var unreadCount: Int { count - consumed }

  /// Adds input. Discards the bytes that are read if they are at least half of the window.
  mutating func append(_ chunk: UnsafeRawBufferPointer) {
    precondition(!isFinal, "input after its end")
    if consumed >= unreadCount { discard() }
    bytes.removeLast(Self.padding.count)
    chunk.withMemoryRebound(to: UInt8.self) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: Self.padding)
  }

  /// Declares that all input has arrived.
  mutating func finish() { isFinal = true }

  /// Runs a reader from the position that the last reader committed.
  ///
  /// The position that this reader commits counts even if `body` throws.
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

  /// The byte at an index of the window; NUL at the window's end.
  subscript(position: Int) -> UInt8 { bytes[position] }

  /// Returns the text of a range. A text of more than 80 bytes is cut and ends with an ellipsis.
  func excerpt(_ range: Range<Int>) -> String {
    guard range.count > 80 else { return String(decoding: bytes[range], as: UTF8.self) }
    var end = range.lowerBound + 77
    while bytes[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: bytes[range.lowerBound..<end], as: UTF8.self) + "…"
  }

  /// Returns the location in the input of a byte of the window.
  ///
  /// - Complexity: O(*n*) in the bytes since the last requested position, or since the window's
  ///   first byte if the last requested position is after this byte.
  mutating func location(of position: Int) -> JSONLocation {
    counted = lines(before: position)
    return JSONLocation(
      offset: counted.offset, line: counted.lines + 1, column: counted.offset - counted.start + 1)
  }

  /// The number of bytes that were read. Unlike the number of lines it needs no scan.
  var endOffset: Int { base + consumed }

  /// The number of line feeds in the bytes that were read.
  var endLines: Int { lines(before: consumed).lines }

  /// Returns the window's index of an absolute offset; nil if the byte is discarded.
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

  /// Counts on from the last count that is not after the position.
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
  /// Reads the next record of a traversal into `scanned`.
  ///
  /// - Returns: false at the end of the document.
  mutating func next(
    _ traversal: inout JSONTraversal, _ plans: [JSONPlan], _ scanned: inout ScannedRecord
  ) throws(JSONFault) -> Bool {
    try read { (reader) throws(JSONFault) in try traversal.next(&reader, plans, &scanned) }
  }
}
