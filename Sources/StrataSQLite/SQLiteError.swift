internal import CStrataSQLite

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Android)
  internal import Android
#endif

/// An error that SQLite reported.
///
/// It carries the extended result code, SQLite's message, the SQL without bound values and the path of
/// the file. An error in a log therefore reveals no stored values.
@usableFromInline package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The extended result code, such as `SQLITE_CONSTRAINT_UNIQUE` (2067).
  package let code: Int32
  package let message: String
  package let sql: String?
  /// The path of the connection's file; nil if the connection has no file, or could not be opened.
  package let path: String?
  /// The system's own number of the error; 0 if the system reported none.
  private let systemError: Int32

  package init(code: Int32, message: String, sql: String?) {
    self.init(code: code, message: message, sql: sql, systemError: 0)
  }

  init(
    code: Int32, message: String, sql: String?, path: String? = nil, systemError: Int32
  ) {
    self.code = code
    self.message = message
    self.sql = sql
    self.path = path
    self.systemError = systemError
  }

  /// - Parameter isOpen: whether the connection has been opened.
  init(code: Int32, connection: OpaquePointer?, sql: String?, isOpen: Bool = true) {
    let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
    let message = connection.map { String(cString: sqlite3_errmsg($0)) }
    // The connection's last error may belong to another call. The returned code decides.
    let agrees = extended & 0xFF == code & 0xFF
    self.init(
      code: agrees ? extended : code,
      message: (agrees ? message : nil) ?? String(cString: sqlite3_errstr(code)), sql: sql,
      path: isOpen ? connection.flatMap(Self.path) : nil,
      systemError: agrees ? connection.map { sqlite3_system_errno($0) } ?? 0 : 0)
  }

  /// Returns the path of a connection's file; nil if the database is in memory or temporary.
  private static func path(_ connection: OpaquePointer) -> String? {
    guard let path = sqlite3_db_filename(connection, "main").map({ String(cString: $0) }) else {
      return nil
    }
    return path.isEmpty ? nil : path
  }

  private static let withoutLog = "the file system cannot have a write-ahead log"

  static func withoutLog(mode: String, sql: String) -> SQLiteError {
    SQLiteError(
      code: SQLITE_CANTOPEN, message: "\(withoutLog): the journal mode is \"\(mode)\"", sql: sql)
  }

  /// Returns the error for a value that SQLite has read but that cannot be valid.
  package static func corrupt(_ message: String, _ sql: SQL) -> SQLiteError {
    SQLiteError(code: SQLITE_CORRUPT, message: message, sql: sql.text)
  }

  /// The error for a file that does not begin as a database does.
  package static let notADatabase = SQLiteError(
    code: SQLITE_NOTADB, message: String(cString: sqlite3_errstr(SQLITE_NOTADB)), sql: nil)

  /// Whether connections cannot share memory where the file is, so that it cannot have a log.
  package var isWithoutLog: Bool { cannotOpen && message.hasPrefix(Self.withoutLog) }

  /// The primary result code.
  package var primary: Int32 { code & 0xFF }

  /// The message, unless it only is the phrase that SQLite has for the code.
  package var detail: String? {
    message.isEmpty || message == String(cString: sqlite3_errstr(primary)) ? nil : message
  }

  /// Whether the system said that the disk is full.
  ///
  /// SQLite reports an error of input or output if it cannot make the file of the log's index.
  private var isWithoutSpace: Bool {
    [SQLITE_IOERR, SQLITE_CANTOPEN].contains(primary) && [ENOSPC, EDQUOT].contains(systemError)
  }

  /// Whether the process has as many open files as the system allows.
  package var hasTooManyFiles: Bool { cannotOpen && [EMFILE, ENFILE].contains(systemError) }

  /// Whether another connection was in the way.
  ///
  /// SQLite reports a broken protocol if others began and ended its attempts to read too often.
  package var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_PROTOCOL }
  package var isInterrupted: Bool { primary == SQLITE_INTERRUPT }
  package var isFull: Bool { primary == SQLITE_FULL || isWithoutSpace }
  package var isNotADatabase: Bool { primary == SQLITE_NOTADB }
  package var isCorrupt: Bool { primary == SQLITE_CORRUPT }
  package var cannotOpen: Bool { primary == SQLITE_CANTOPEN }
  package var isReadOnly: Bool { primary == SQLITE_READONLY }
  package var isTooBig: Bool { primary == SQLITE_TOOBIG }
  package var isOutOfMemory: Bool { primary == SQLITE_NOMEM }
  package var isInputOutput: Bool { primary == SQLITE_IOERR }

  /// Whether FTS5 could not parse the expression that was bound to a search.
  ///
  /// FTS5 has no result code for this, and some of its messages do not mention it. A missing table
  /// or module is excluded: SQLite reports it before the statement runs.
  package var isMalformedSearch: Bool {
    code == SQLITE_ERROR && sql?.contains(" MATCH ?") == true
      && !message.hasPrefix("no such table") && !message.hasPrefix("no such module")
  }

  /// Whether a statement exceeds the limits of SQLite's parser. No result code tells, only the
  /// message.
  package var isTooComplex: Bool {
    primary == SQLITE_ERROR
      && (message == "parser stack overflow" || message == "too many SQL variables"
        || message.hasPrefix("Expression tree is too large"))
  }

  @usableFromInline package var description: String {
    "SQLite error \(code): \(message)" + (sql.map { " in \($0)" } ?? "")
  }
}

/// Result codes that callers of ``Statement/runReturningCode()`` tell apart.
package enum ResultCode {
  package static var done: Int32 { SQLITE_DONE }
  package static var busy: Int32 { SQLITE_BUSY }
  package static var constraint: Int32 { SQLITE_CONSTRAINT }
  package static var corrupt: Int32 { SQLITE_CORRUPT }

  package static func isUniqueness(_ code: Int32) -> Bool {
    code == SQLITE_CONSTRAINT_UNIQUE_CODE || code == SQLITE_CONSTRAINT_PRIMARYKEY_CODE
      || code == SQLITE_CONSTRAINT_ROWID_CODE
  }

  // The header spells these codes as expressions, which Swift does not import.
  private static var SQLITE_CONSTRAINT_PRIMARYKEY_CODE: Int32 { SQLITE_CONSTRAINT | (6 << 8) }
  private static var SQLITE_CONSTRAINT_UNIQUE_CODE: Int32 { SQLITE_CONSTRAINT | (8 << 8) }
  private static var SQLITE_CONSTRAINT_ROWID_CODE: Int32 { SQLITE_CONSTRAINT | (10 << 8) }
}
