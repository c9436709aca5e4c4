import Foundation

/// A JSON scanner for songs alone, as a careful user could write it by hand.
///
/// It validates nothing, and refuses escapes, which the generated songs do not have.
struct SongScanner {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  /// Calls `body` with the songs of a JSON array of objects, `portion` songs at a time.
  static func scan(_ data: Data, portion: Int, _ body: ([Song]) -> Void) throws {
    try data.withUnsafeBytes { bytes in
      var scanner = SongScanner(bytes: bytes.bindMemory(to: UInt8.self))
      try scanner.scan(portion: portion, body)
    }
  }

  private mutating func scan(portion: Int, _ body: ([Song]) -> Void) throws {
    var songs: [Song] = []
    try expect("[")
    while try !take("]") {
      songs.append(try song())
      _ = try take(",")
      if songs.count == portion {
        body(songs)
        songs.removeAll(keepingCapacity: true)
      }
    }
    body(songs)
  }

  private mutating func song() throws -> Song {
    var song = Song()
    try expect("{")
    while try !take("}") {
      let name = try span()
      try expect(":")
      let null = try take("n")
      if null { position += 3 }
      // Length and first letter tell the members apart.
      switch (name.count, name[name.startIndex]) {
      case (2, _): song.id = integer()
      case (5, _): song.title = try text()
      case (8, UInt8(ascii: "s")): song.subtitle = null ? nil : try text()
      case (8, _): song.artistID = null ? nil : integer()
      case (4, _): song.ccli = null ? nil : integer()
      case (3, UInt8(ascii: "b")): song.bpm = try real()
      case (3, _): song.key = try text()
      case (6, UInt8(ascii: "t")): song.themes = try text()
      case (9, UInt8(ascii: "c")): song.createdAt = Date(timeIntervalSince1970: try real())
      case (9, _): song.updatedAt = Date(timeIntervalSince1970: try real())
      default:
        song.hidden = try take("t")
        position += song.hidden ? 3 : 5
      }
      _ = try take(",")
    }
    return song
  }

  // MARK: Tokens

  /// Skips white space, and then `character` if it follows. Returns whether it does.
  @inline(__always)
  private mutating func take(_ character: Unicode.Scalar) throws -> Bool {
    while position < bytes.count, bytes[position] <= UInt8(ascii: " ") { position += 1 }
    guard position < bytes.count else { throw BenchError("the JSON ends too early") }
    if bytes[position] != UInt8(ascii: character) { return false }
    position += 1
    return true
  }

  @inline(__always)
  private mutating func expect(_ character: Unicode.Scalar) throws {
    guard try take(character) else { throw BenchError("\(character) expected at \(position)") }
  }

  @inline(__always)
  private mutating func span() throws -> Slice<UnsafeBufferPointer<UInt8>> {
    try expect("\"")
    guard let base = bytes.baseAddress,
      let end = memchr(base + position, 0x22, bytes.count - position)
    else { throw BenchError("a string without an end at \(position)") }
    let start = position
    position = UnsafeRawPointer(end) - UnsafeRawPointer(base)
    guard memchr(base + start, 0x5C, position - start) == nil else {
      throw BenchError("an escape at \(start)")
    }
    defer { position += 1 }
    return bytes[start..<position]
  }

  @inline(__always)
  private mutating func text() throws -> String {
    String(decoding: UnsafeBufferPointer(rebasing: try span()), as: UTF8.self)
  }

  @inline(__always)
  private mutating func integer() -> Int {
    var value = 0
    while bytes[position] >= UInt8(ascii: "0") && bytes[position] <= UInt8(ascii: "9") {
      value = value &* 10 &+ Int(bytes[position] &- UInt8(ascii: "0"))
      position += 1
    }
    return value
  }

  @inline(__always)
  private mutating func real() throws -> Double {
    guard let base = bytes.baseAddress else { throw BenchError("no JSON") }
    var end: UnsafeMutablePointer<CChar>?
    let start = UnsafeRawPointer(base + position).assumingMemoryBound(to: CChar.self)
    let value = strtod(start, &end)
    position += end.map { UnsafePointer($0) - start } ?? 0
    return value
  }
}
