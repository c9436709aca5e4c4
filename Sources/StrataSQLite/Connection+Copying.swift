internal import CStrataSQLite

extension Connection {
  /// Copies the state that another connection has pinned into this connection's empty file, page by page.
  ///
  /// The other connection has a read transaction open. So all pages are of one commit, and a commit of
  /// any other connection does not make SQLite begin the copy again. The copy has the unused pages,
  /// the row numbers and the journal mode of the original.
  ///
  /// - Parameters:
  ///   - source: the connection to the original.
  ///   - count: the number of pages between two calls of `report`.
  ///   - report: called with the number of finished pages and of all pages.
  /// - Throws: an error with `isInterrupted` once the other connection's cancellation flag is raised.
  package func copyPages(
    from source: Connection, atOnce count: Int32, _ report: (_ done: Int, _ total: Int) -> Void
  ) throws(SQLiteError) {
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw SQLiteError(code: sqlite3_errcode(handle), connection: handle, sql: nil)
    }
    var code = SQLITE_OK
    while code == SQLITE_OK, !source.isCancelled {
      code = sqlite3_backup_step(backup, count)
      let total = Int(sqlite3_backup_pagecount(backup))
      if code == SQLITE_OK || code == SQLITE_DONE {
        report(total - Int(sqlite3_backup_remaining(backup)), total)
      }
    }
    let end = sqlite3_backup_finish(backup)
    if code == SQLITE_OK {
      throw SQLiteError(code: SQLITE_INTERRUPT, message: "the copy was cancelled", sql: nil)
    }
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw SQLiteError(code: code == SQLITE_DONE ? end : code, connection: handle, sql: nil)
    }
  }
}
