internal import CStrataSQLite

/// A lock that keeps every connection of this process and of others away from a file while it is
/// moved.
///
/// In write-ahead-log mode every open connection holds a shared lock on the database file, from its
/// first statement until it closes. SQLite takes this lock, because only SQLite knows the locks of
/// its other connections in this process. A file descriptor of our own would release their locks
/// when it closes.
package final class FileLock {
  private let handle: OpaquePointer

  /// Locks the file at `path`, which need not be a database.
  ///
  /// - Throws: an error with `isBusy` if any connection has the file open.
  package init(path: String) throws(SQLiteError) {
    var handle: OpaquePointer?
    var code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    if code == SQLITE_OK, let handle { code = strata_lock_file(handle) }
    guard code == SQLITE_OK, let handle else {
      let message = String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      throw SQLiteError(code: code, message: message, sql: nil)
    }
    self.handle = handle
  }

  deinit { sqlite3_close_v2(handle) }
}

extension Connection {
  /// Whether the open file is no longer the file at its path.
  package var hasMoved: Bool { strata_has_moved(handle) != 0 }
}
