internal import Foundation

/// Where in a document a scanner is, between two records.
///
/// ```
/// start ─→ value(0) ─{→ firstKey ─ key on the path ─→ value(1) … value(n) ─[→ firstElement
///          firstKey, key ─ any other key ─→ skipping ─→ member ─,→ key
///          firstElement ─→ element ─→ separator ─,→ element
///          } of level n, ] of the array ─→ member(n - 1), at the outermost level ─→ trailing
/// start ─→ line ─→ lineEnd ─→ line …                            line, trailing ─→ finished
/// line, lineEnd ─ leaveLine ─→ brokenLine ─→ line
/// ```
/// Each move commits what was read, so after a fault the input is read again from the phase's start.
struct JSONTraversal: Sendable {
  private enum Phase {
    /// Before the first byte, maybe a byte order mark.
    case start
    /// Before the value at a level of the path: an object, or at its end the array of records.
    case value(level: Int)
    /// Behind the brace that opens the object at a level.
    case firstKey(level: Int)
    /// Behind a comma in the object at a level.
    case key(level: Int)
    /// In a value that is not on the path.
    case skipping(JSONSkip, level: Int)
    /// Behind a value in the object at a level.
    case member(level: Int)
    /// Behind the bracket that opens the array of records.
    case firstElement
    /// Before a record in the array.
    case element
    /// Behind a record in the array.
    case separator
    /// Before a line.
    case line
    /// Behind a record on a line.
    case lineEnd
    /// In a line of which nothing is read any more.
    case brokenLine
    /// Behind the document.
    case trailing
    /// Nothing is left.
    case finished
  }

  private let isLines: Bool
  private let path: [[UInt8]]
  private var phase = Phase.start
  private var hasFoundArray = false

  init(_ format: JSONFormat) {
    isLines = format == .lines
    path = if case .arrayAt(let keys) = format { keys.map { Array($0.utf8) } } else { [] }
  }

  /// Reads the next record, or to the end of the document; whether there was a record.
  mutating func next(
    _ reader: inout JSONReader, _ plan: JSONPlan, _ row: inout JSONRow
  ) throws(JSONFault) -> Bool {
    while true {
      switch phase {
      case .start:
        try reader.skipByteOrderMark()
        move(to: isLines ? .line : .value(level: 0), &reader)
      case .value(let level):
        try openValue(at: level, &reader)
      case .firstKey(let level):
        if reader.peek() == UInt8(ascii: "}") {
          try close(level, &reader)
        } else {
          try key(at: level, &reader)
        }
      case .key(let level):
        try key(at: level, &reader)
      case .skipping(let skip, let level):
        try self.skip(skip, at: level, &reader)
      case .member(let level):
        if reader.peek() == UInt8(ascii: ",") {
          reader.cursor += 1
          move(to: .key(level: level), &reader)
        } else {
          try close(level, &reader)
        }
      case .firstElement:
        if reader.peek() == UInt8(ascii: "]") {
          try close(path.count, &reader)
        } else if reader.isAtEnd {
          throw reader.fault(at: reader.cursor)
        } else {
          move(to: .element, &reader)
        }
      case .element:
        reader.depth = path.count + 1
        try reader.record(plan, into: &row)
        move(to: .separator, &reader)
        return true
      case .separator:
        if reader.peek() == UInt8(ascii: ",") {
          reader.cursor += 1
          move(to: .element, &reader)
        } else {
          try close(path.count, &reader)
        }
      case .line:
        if try skipBlankLines(&reader) {
          try reader.record(plan, into: &row)
          move(to: .lineEnd, &reader)
          return true
        }
        move(to: .finished, &reader)
      case .lineEnd:
        try endLine(&reader)
        move(to: .line, &reader)
      case .brokenLine:
        try skipLine(&reader)
        move(to: .line, &reader)
      case .trailing:
        try endDocument(&reader)
        move(to: .finished, &reader)
      case .finished:
        return false
      }
    }
  }

  private mutating func move(to next: Phase, _ reader: inout JSONReader) {
    phase = next
    reader.commit()
  }

  // MARK: Objects on the path

  private mutating func openValue(
    at level: Int, _ reader: inout JSONReader
  ) throws(JSONFault) {
    if level == path.count {
      try reader.expect(UInt8(ascii: "["))
      hasFoundArray = true
      move(to: .firstElement, &reader)
    } else {
      try reader.expect(UInt8(ascii: "{"))
      move(to: .firstKey(level: level), &reader)
    }
  }

  private mutating func key(at level: Int, _ reader: inout JSONReader) throws(JSONFault) {
    let key = try reader.key()
    if try reader.matches(key, path[level]) {
      move(to: .value(level: level + 1), &reader)
    } else {
      move(to: .skipping(JSONSkip(), level: level), &reader)
    }
  }

  private mutating func skip(
    _ skip: JSONSkip, at level: Int, _ reader: inout JSONReader
  ) throws(JSONFault) {
    var skip = skip
    reader.depth = level + 1 + skip.depth
    do throws(JSONFault) {
      try skip.skip(&reader)
    } catch {
      move(to: .skipping(skip, level: level), &reader)
      throw error
    }
    move(to: .member(level: level), &reader)
  }

  /// Leaves the object or array at a level of the path.
  private mutating func close(_ level: Int, _ reader: inout JSONReader) throws(JSONFault) {
    try reader.expect(level == path.count ? UInt8(ascii: "]") : UInt8(ascii: "}"))
    move(to: level == 0 ? .trailing : .member(level: level - 1), &reader)
  }

  // MARK: Ends

  /// Gives up what could not be read of a line; false if the format has none.
  ///
  /// That is the line on which the record began: reading goes on after it, wherever in the record
  /// the fault was.
  mutating func leaveLine() -> Bool {
    switch phase {
    case .line, .lineEnd:
      phase = .brokenLine
      return true
    case .start, .value, .firstKey, .key, .skipping, .member, .firstElement, .element, .separator,
      .brokenLine, .trailing, .finished:
      return false
    }
  }

  /// Passes the next line feed, or goes to the end of the input.
  private func skipLine(_ reader: inout JSONReader) throws(JSONFault) {
    if let lineFeed = memchr(reader.cursor, 0x0A, reader.end - reader.cursor) {
      reader.cursor = UnsafePointer(lineFeed.assumingMemoryBound(to: UInt8.self)) + 1
      return
    }
    reader.cursor = reader.end
    reader.commit()
    guard reader.isFinal else { throw reader.fault(at: reader.cursor) }
  }

  /// Goes to the next line that is not blank; false at the end of the input.
  private func skipBlankLines(_ reader: inout JSONReader) throws(JSONFault) -> Bool {
    _ = reader.peek()
    reader.commit()
    guard reader.isAtEnd else { return true }
    guard reader.isFinal else { throw reader.fault(at: reader.cursor) }
    return false
  }

  /// Reads the white space after a record, up to a line feed or the end of the input.
  private func endLine(_ reader: inout JSONReader) throws(JSONFault) {
    while reader.cursor.pointee != 0x0A {
      switch reader.cursor.pointee {
      case 0x20, 0x09, 0x0D: reader.cursor += 1
      case 0 where reader.isAtEnd && reader.isFinal: return
      default: throw reader.fault(.trailingGarbage, at: reader.cursor)
      }
    }
    reader.cursor += 1
  }

  /// Reads the white space after the document, up to the end of the input.
  private func endDocument(_ reader: inout JSONReader) throws(JSONFault) {
    _ = reader.peek()
    reader.commit()
    guard reader.isAtEnd, reader.isFinal else {
      throw reader.fault(.trailingGarbage, at: reader.cursor)
    }
    guard hasFoundArray else {
      throw JSONFault(code: .arrayNotFound, position: reader.position)
    }
  }
}

extension JSONReader {
  /// Skips a UTF-8 byte order mark, which RFC 8259 allows a parser to ignore.
  fileprivate mutating func skipByteOrderMark() throws(JSONFault) {
    guard cursor.pointee == 0xEF else { return }
    for (index, byte) in [0xEF, 0xBB, 0xBF].enumerated() where cursor[index] != UInt8(byte) {
      throw fault(at: cursor + index)
    }
    cursor += 3
  }
}
