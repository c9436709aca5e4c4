import CStrataSQLite
import Foundation

/// A connection that uses SQLite's C interface like a careful user, to measure Strata against.
///
/// It has a write-ahead log, `synchronous = NORMAL` and prepared statements that it keeps. It
/// copies text when it binds it.
final class RawConnection {
  private let handle: OpaquePointer

  init(_ path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      throw BenchError("cannot open \(path)")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5000)
    try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
  }

  deinit { sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws {
    guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw BenchError("\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
  }

  func prepare(_ sql: String) throws -> RawStatement {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else {
      throw BenchError("\(String(cString: sqlite3_errmsg(handle))) in \(sql)")
    }
    return RawStatement(statement)
  }

  /// Runs `body` between BEGIN IMMEDIATE and COMMIT.
  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// Upserts each song in a transaction of its own.
  func commitEach(_ songs: [Song]) throws {
    let upsert = try prepare(SongSQL.upsert)
    let begin = try prepare("BEGIN IMMEDIATE")
    let commit = try prepare("COMMIT")
    for song in songs {
      try begin.run()
      upsert.bind(song)
      try upsert.run()
      try commit.run()
    }
  }
}

/// A prepared statement, with songs as parameters and as rows.
final class RawStatement {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) { self.handle = handle }

  deinit { sqlite3_finalize(handle) }

  /// Moves to the next row. Returns false at the end.
  @inline(__always)
  func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    sqlite3_reset(handle)
    guard code == SQLITE_DONE else { throw BenchError("a statement failed with \(code)") }
    return false
  }

  @inline(__always)
  func run() throws {
    while try step() {}
  }

  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  // MARK: Parameters

  @inline(__always)
  func bind(_ index: Int32, _ value: Int) { sqlite3_bind_int64(handle, index, Int64(value)) }

  @inline(__always)
  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  @inline(__always)
  func bind(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bytes in
      _ = strata_bind_text_copy(handle, index, bytes.baseAddress, UInt64(bytes.count))
    }
  }

  @inline(__always)
  private func bind(_ index: Int32, _ value: String?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  @inline(__always)
  private func bind(_ index: Int32, _ value: Int?) {
    if let value { bind(index, value) } else { sqlite3_bind_null(handle, index) }
  }

  /// Binds all attributes to the parameters from 1 on.
  @inline(__always)
  func bind(_ song: Song) {
    bind(1, song.id)
    bind(2, song.title)
    bind(3, song.subtitle)
    bind(4, song.artistID)
    bind(5, song.ccli)
    bind(6, song.bpm)
    bind(7, song.key)
    bind(8, song.themes)
    bind(9, song.createdAt.timeIntervalSinceReferenceDate)
    bind(10, song.updatedAt.timeIntervalSinceReferenceDate)
    bind(11, song.hidden ? 1 : 0)
  }

  // MARK: The current row

  @inline(__always)
  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

  @inline(__always)
  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  @inline(__always)
  func text(_ column: Int32) -> String {
    let start = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  @inline(__always)
  private func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  @inline(__always)
  private func date(_ column: Int32) -> Date {
    Date(timeIntervalSinceReferenceDate: real(column))
  }

  /// The song in the columns from 0 on.
  @inline(__always)
  var song: Song {
    Song(
      id: integer(0), title: text(1), subtitle: isNull(2) ? nil : text(2),
      artistID: isNull(3) ? nil : integer(3), ccli: isNull(4) ? nil : integer(4), bpm: real(5),
      key: text(6), themes: text(7), createdAt: date(8), updatedAt: date(9),
      hidden: integer(10) != 0)
  }

  /// The song in the columns from 0 on, with a reference to its artist.
  @inline(__always)
  var bandSong: BandSong {
    BandSong(
      id: integer(0), title: text(1), subtitle: isNull(2) ? nil : text(2),
      artistID: isNull(3) ? nil : integer(3), ccli: isNull(4) ? nil : integer(4), bpm: real(5),
      key: text(6), themes: text(7), createdAt: date(8), updatedAt: date(9),
      hidden: integer(10) != 0)
  }

  /// Returns the songs of all rows.
  func songs() throws -> [Song] {
    var songs: [Song] = []
    while try step() { songs.append(song) }
    return songs
  }
}

/// SQL text over the table that Strata creates for ``Song``.
enum SongSQL {
  private static let names = [
    "id", "title", "subtitle", "artistID", "ccli", "bpm", "key", "themes", "createdAt",
    "updatedAt", "hidden",
  ]
  private static let columns = names.joined(separator: ", ")

  static let insert =
    "INSERT INTO songs (\(columns)) VALUES (\(names.map { _ in "?" }.joined(separator: ", ")))"
  static let upsert =
    "\(insert) ON CONFLICT (id) DO UPDATE SET "
    + names.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
  /// Sets every column. The key is the first parameter.
  static let update =
    "UPDATE songs SET "
    + names.enumerated().dropFirst().map { "\($1) = ?\($0 + 1)" }.joined(separator: ", ")
    + " WHERE id = ?1"
  static let select = "SELECT \(columns) FROM songs"
  static let selectByKey = "\(select) WHERE id = ?"
  static let selectByTitle = "\(select) ORDER BY title"
}
