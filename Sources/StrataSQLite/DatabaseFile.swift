internal import CStrataSQLite

/// A database file that is read and locked past its log.
///
/// SQLite opens the file, because only SQLite knows the locks of its other connections in this
/// process. A file descriptor of our own would release their locks when it closes.
package final class DatabaseFile {
  private let handle: OpaquePointer

  /// Opens the file at `path`, which need not be a database, without reading or locking it.
  ///
  /// - Parameter isNew: whether the file is created for its owner alone if it does not exist.
  package init(path: String, isNew: Bool = false) throws(SQLiteError) {
    if isNew { PrivateFile.create(path) }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw SQLiteError(code: code)
    }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }

  /// Keeps every connection of this process and of others away until this object is released.
  ///
  /// In write-ahead-log mode every open connection holds a shared lock on the database file, from
  /// its first statement until it closes. A connection opens the log and its index only under that
  /// lock.
  ///
  /// - Throws: an error with `isBusy` if any connection has the file open.
  package func lock() throws(SQLiteError) {
    let code = strata_lock_file(handle)
    if code != SQLITE_OK { throw SQLiteError(code: code) }
  }

  /// Returns bytes of the file, 131,071 at most; bytes past its end are 0.
  package func bytes(_ count: Int, at offset: Int64) throws(SQLiteError) -> [UInt8] {
    try readFile(of: handle, count, at: offset)
  }

  /// Writes bytes to the file, 131,071 at most.
  package func write(_ bytes: [UInt8], at offset: Int64) throws(SQLiteError) {
    let code = strata_write_file(handle, bytes, Int32(bytes.count), offset)
    if code != SQLITE_OK { throw SQLiteError(code: code) }
  }
}

extension DatabaseFile {
  /// Returns the time at which the file at a path was made, in nanoseconds; 0 if it is unknown.
  package static func birth(of path: String) -> Int64 { strata_birth(path) }
}

extension Connection {
  /// Whether the open file is no longer the file at its path.
  package var hasMoved: Bool { strata_has_moved(handle) != 0 }

  /// Returns bytes of the database file as they are without the log; bytes past its end are 0.
  package func bytesOfFile(_ count: Int, at offset: Int64) throws(SQLiteError) -> [UInt8] {
    try readFile(of: handle, count, at: offset)
  }

  /// Sets whether the last connection to close leaves the log as it is.
  ///
  /// Otherwise closing writes the log into whatever the file has become, and removes the log.
  package func leaveLog(_ leaves: Bool) { strata_leave_log(handle, leaves ? 1 : 0) }
}

private func readFile(
  of handle: OpaquePointer, _ count: Int, at offset: Int64
) throws(SQLiteError) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: count)
  let code = strata_read_file(handle, &bytes, Int32(count), offset)
  if code != SQLITE_OK { throw SQLiteError(code: code) }
  return bytes
}

extension SQLiteError {
  fileprivate init(code: Int32) {
    self.init(code: code, message: String(cString: sqlite3_errstr(code)), sql: nil)
  }
}
