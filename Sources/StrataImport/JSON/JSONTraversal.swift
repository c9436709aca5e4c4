internal import Foundation

/// The position of a scanner in a document, between two records.
///
/// ```
/// start ─→ value(0) ─{→ firstKey ─ key on a path ─→ value(1) … value(n) ─[→ firstElement
///          firstKey, key ─ any other key ─→ skipping ─→ member ─,→ key
///          firstElement ─→ element ─→ separator ─,→ element
///          value(n) ─null→ member(n - 1), value(n) ─{→ single, if `allowsSingle`
///          } of level n, ] of the array ─→ member(n - 1), at the outermost level ─→ trailing
/// start ─→ line ─→ line …                                       line, trailing ─→ finished
/// line ─ leaveLine ─→ brokenLine ─→ line
/// ```
/// Each move commits the bytes that were read, so after a fault the input is read again from the
/// start of the phase. White space at the start of a phase is committed, too, because it may have
/// any length.
struct JSONTraversal: Sendable {
  private enum Phase {
    /// Before the first byte, which may begin a byte order mark.
    case start
    /// Before the value at a level of a path: an object, or at the path's end the array of records.
    case value(level: Int)
    /// After the brace that opens the object at a level.
    case firstKey(level: Int)
    /// After a comma in the object at a level.
    case key(level: Int)
    /// In a value that is not on a path.
    case skipping(JSONSkip, level: Int)
    /// After a value in the object at a level.
    case member(level: Int)
    /// After the bracket that opens the array of records, or the brace that opens their object.
    case firstElement
    /// Before a record in the array.
    case element
    /// After a record in the array.
    case separator
    /// Before a single record in the place of an array.
    case single
    /// Before a line.
    case line
    /// In a line whose rest is skipped.
    case brokenLine
    /// After the document.
    case trailing
    /// At the end of the input.
    case finished
  }

  private let isLines: Bool
  private let paths: [[[UInt8]]]

  /// The paths in quotes, for messages.
  var pathNames: String {
    paths.map { path in
      "\"" + path.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") + "\""
    }.joined(separator: " or ")
  }

  /// The only path, its keys separated by dots; nil if there are several.
  var onlyPath: String? {
    guard paths.count == 1 else { return nil }
    return paths[0].map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
  }

  /// Whether the first value of the document is still to come.
  var isBeforeDocument: Bool {
    switch phase {
    case .start, .value(level: 0): true
    default: false
    }
  }

  /// Whether a single record may replace an array. Null may in every format.
  private let allowsSingle: Bool
  private var phase = Phase.start
  /// A bit for each path whose value is one record, of any kind.
  private var values: UInt64 = 0
  /// A bit for each path at which the records are the members of an object.
  private var members: UInt64 = 0
  /// A bit for each path at which an array was found.
  private var arrays: UInt64 = 0
  /// Whether an array of records, or a value in its place, was found at any path.
  private var hasFoundPath = false
  /// For each level, a bit for each path that begins with the keys above the level.
  private var candidates: [UInt64]
  /// The index of the path at which the last record was found.
  private(set) var pathIndex = 0

  /// Returns whether an array was found at a path.
  func hasFoundArray(at path: Int) -> Bool { arrays & 1 << UInt64(path) != 0 }

  init(_ format: JSONFormat) {
    let path: [String] =
      switch format.layout {
      case .arrayAt(let keys), .membersAt(let keys): keys
      case .array, .lines: []
      }
    self.init([path], isLines: format == .lines, allowsSingle: false)
    if format.hasMembers { members = 1 }
  }

  /// - Parameters:
  ///   - paths: at most 64 paths. No path may begin with another.
  ///   - values: the paths whose value is one record, of any kind.
  ///   - members: the paths at which the records are the members of an object.
  init(_ paths: [[String]], values: Set<Int> = [], members: Set<Int> = []) {
    self.init(paths, isLines: false, allowsSingle: true)
    for path in values { self.values |= 1 << UInt64(path) }
    for path in members { self.members |= 1 << UInt64(path) }
  }

  /// Creates the traversal of one record.
  ///
  /// - Parameter isMember: whether the record begins with the name of the member that has it.
  init(record isMember: Bool) {
    self.init([[]], isLines: true, allowsSingle: false)
    members = isMember ? 1 : 0
  }

  private var hasMembers: Bool { members & 1 << UInt64(pathIndex) != 0 }

  /// The bracket that ends the records.
  private var closing: UInt8 { hasMembers ? UInt8(ascii: "}") : UInt8(ascii: "]") }

  private init(_ paths: [[String]], isLines: Bool, allowsSingle: Bool) {
    self.paths = paths.map { path in path.map { Array($0.utf8) } }
    self.isLines = isLines
    self.allowsSingle = allowsSingle
    let all = paths.count < 64 ? 1 << UInt64(paths.count) - 1 : UInt64.max
    candidates = [all] + (paths.map(\.count).max().map { Array(repeating: 0, count: $0) } ?? [])
  }

  /// Reads the next record by the plan of its path, or reads to the end of the document.
  ///
  /// - Returns: whether it read a record.
  mutating func next(
    _ reader: inout JSONReader, _ plans: [JSONPlan], _ scanned: inout ScannedRecord
  ) throws(JSONFault) -> Bool {
    while true {
      switch phase {
      case .start:
        try reader.skipByteOrderMark()
        move(to: isLines ? .line : .value(level: 0), &reader)
      case .value(let level):
        reader.passSpace()
        try openValue(at: level, &reader)
      case .firstKey(let level):
        reader.passSpace()
        if reader.peek() == UInt8(ascii: "}") {
          try close(UInt8(ascii: "}"), level, &reader)
        } else {
          try key(at: level, &reader)
        }
      case .key(let level):
        reader.passSpace()
        try key(at: level, &reader)
      case .skipping(let skip, let level):
        try self.skip(skip, at: level, &reader)
      case .member(let level):
        reader.passSpace()
        if reader.peek() == UInt8(ascii: ",") {
          reader.cursor += 1
          move(to: .key(level: level), &reader)
        } else {
          try close(UInt8(ascii: "}"), level, &reader)
        }
      case .firstElement:
        reader.passSpace()
        if reader.peek() == closing {
          try close(closing, paths[pathIndex].count, &reader)
        } else if reader.isAtEnd {
          throw reader.fault(at: reader.cursor)
        } else {
          move(to: .element, &reader)
        }
      case .element:
        reader.passSpace()
        reader.depth = paths[pathIndex].count + 1
        try reader.record(plans[pathIndex], isMember: hasMembers, into: &scanned)
        move(to: .separator, &reader)
        return true
      case .separator:
        reader.passSpace()
        if reader.peek() == UInt8(ascii: ",") {
          reader.cursor += 1
          move(to: .element, &reader)
        } else {
          try close(closing, paths[pathIndex].count, &reader)
        }
      case .single:
        reader.passSpace()
        reader.depth = paths[pathIndex].count
        try reader.record(plans[pathIndex], into: &scanned)
        leave(paths[pathIndex].count, &reader)
        return true
      case .line:
        guard try skipBlankLines(&reader) else {
          move(to: .finished, &reader)
          continue
        }
        try reader.record(plans[pathIndex], isMember: hasMembers, into: &scanned)
        // The rest of the line decides whether the record is valid.
        try endLine(&reader)
        move(to: .line, &reader)
        return true
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

  // MARK: Objects on the paths

  private mutating func openValue(
    at level: Int, _ reader: inout JSONReader
  ) throws(JSONFault) {
    // No path continues after the end of another, so the first candidate decides.
    let first = candidates[level].trailingZeroBitCount
    if level == paths[first].count {
      pathIndex = first
      if values & 1 << UInt64(pathIndex) != 0 {
        return move(to: .single, &reader)
      }
      switch reader.peek() {
      case UInt8(ascii: "{") where hasMembers:
        try reader.expect(UInt8(ascii: "{"))
        move(to: .firstElement, &reader)
        arrays |= 1 << UInt64(first)
      case UInt8(ascii: "{") where allowsSingle: move(to: .single, &reader)
      case UInt8(ascii: "n"): try passNull(level, &reader)
      case UInt8(ascii: "[") where !hasMembers:
        try reader.expect(UInt8(ascii: "["))
        move(to: .firstElement, &reader)
        arrays |= 1 << UInt64(first)
      default: throw try misplaced(&reader)
      }
      hasFoundPath = true
    } else if reader.peek() == UInt8(ascii: "n") {
      try passNull(level, &reader)
      // An object that is null has no array of any path inside.
      hasFoundPath = hasFoundPath || candidates[level] & ~values != 0
    } else {
      guard reader.peek() == UInt8(ascii: "{") else { throw try misplaced(&reader) }
      try reader.expect(UInt8(ascii: "{"))
      move(to: .firstKey(level: level), &reader)
    }
  }

  private mutating func passNull(_ level: Int, _ reader: inout JSONReader) throws(JSONFault) {
    try reader.null()
    leave(level, &reader)
  }

  /// Returns the fault of a value of another kind than a path needs.
  private func misplaced(_ reader: inout JSONReader) throws(JSONFault) -> JSONFault {
    let first = reader.cursor
    switch reader.peek() {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "-"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      break
    case UInt8(ascii: "t"), UInt8(ascii: "f"): _ = try reader.bool()
    default: return reader.fault(at: first)
    }
    return reader.fault(.misplacedValue, at: first)
  }

  /// The path to the value that is read, and the description of the value that it needs.
  ///
  /// Valid at a misplaced value.
  var place: (path: String, expected: String)? {
    guard case .value(let level) = phase else { return nil }
    let path = paths[candidates[level].trailingZeroBitCount].map {
      String(decoding: $0, as: UTF8.self)
    }
    return (
      path.prefix(level).joined(separator: "."),
      level == path.count ? "an array of records" : "an object with “\(path[level])”"
    )
  }

  private mutating func key(at level: Int, _ reader: inout JSONReader) throws(JSONFault) {
    let key = try reader.key()
    var matching: UInt64 = 0
    for (index, path) in paths.enumerated()
    where candidates[level] & 1 << UInt64(index) != 0 && path.count > level {
      if try reader.matches(key, path[level]) { matching |= 1 << UInt64(index) }
    }
    if matching != 0 {
      candidates[level + 1] = matching
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

  /// Leaves the object or array at a level of a path.
  private mutating func close(
    _ bracket: UInt8, _ level: Int, _ reader: inout JSONReader
  ) throws(JSONFault) {
    try reader.expect(bracket)
    leave(level, &reader)
  }

  /// Goes on after the value at a level of a path.
  private mutating func leave(_ level: Int, _ reader: inout JSONReader) {
    move(to: level == 0 ? .trailing : .member(level: level - 1), &reader)
  }

  // MARK: Ends

  /// Gives up the line that could not be read; returns false if the format has no lines.
  ///
  /// Reading goes on after the line on which the record began, wherever in the record the fault
  /// was. If the fault is after the record, reading goes on after the line on which the record
  /// ends.
  mutating func leaveLine() -> Bool {
    switch phase {
    case .line:
      phase = .brokenLine
      return true
    case .start, .value, .firstKey, .key, .skipping, .member, .firstElement, .element, .separator,
      .single, .brokenLine, .trailing, .finished:
      return false
    }
  }

  /// Reads to the end of the line, or to the end of the input.
  private func skipLine(_ reader: inout JSONReader) throws(JSONFault) {
    if let lineFeed = memchr(reader.cursor, 0x0A, reader.end - reader.cursor) {
      reader.cursor = UnsafePointer(lineFeed.assumingMemoryBound(to: UInt8.self)) + 1
      return
    }
    reader.cursor = reader.end
    reader.commit()
    guard reader.isFinal else { throw reader.fault(at: reader.cursor) }
  }

  /// Goes to the next line that is not blank; returns false at the end of the input.
  private func skipBlankLines(_ reader: inout JSONReader) throws(JSONFault) -> Bool {
    reader.passSpace()
    // A record separator begins each text of a JSON text sequence (RFC 7464).
    while reader.cursor.pointee == 0x1E {
      reader.cursor += 1
      reader.passSpace()
    }
    guard reader.isAtEnd else { return true }
    guard reader.isFinal else { throw reader.fault(at: reader.cursor) }
    return false
  }

  /// Reads the white space after a record, up to a line feed or the end of the input.
  private func endLine(_ reader: inout JSONReader) throws(JSONFault) {
    while reader.cursor.pointee != 0x0A {
      switch reader.cursor.pointee {
      case 0x20, 0x09, 0x0D: reader.cursor += 1
      case 0 where reader.isAtEnd:
        if reader.isFinal { return }
        throw reader.fault(at: reader.cursor)
      default:
        reader.commit()
        throw reader.fault(.trailingGarbage, at: reader.cursor)
      }
    }
    reader.cursor += 1
  }

  /// Reads the white space after the document, up to the end of the input.
  private func endDocument(_ reader: inout JSONReader) throws(JSONFault) {
    reader.passSpace()
    guard reader.isAtEnd, reader.isFinal else {
      throw reader.fault(.trailingGarbage, at: reader.cursor)
    }
    guard hasFoundPath else {
      throw JSONFault(code: .arrayNotFound, position: reader.position)
    }
  }
}

extension JSONReader {
  /// Skips and commits the white space before the next token.
  @inline(__always)
  fileprivate mutating func passSpace() {
    _ = peek()
    commit()
  }

  /// Skips a UTF-8 byte order mark, which RFC 8259 allows a parser to ignore.
  fileprivate mutating func skipByteOrderMark() throws(JSONFault) {
    guard cursor.pointee == 0xEF else { return }
    for (index, byte) in [0xEF, 0xBB, 0xBF].enumerated() where cursor[index] != UInt8(byte) {
      throw fault(at: cursor + index)
    }
    cursor += 3
  }
}
