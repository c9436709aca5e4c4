internal import CStrataSQLite

/// What a connection keeps in memory, and how well that serves it.
package struct ConnectionMemory: Sendable {
  /// Of pages, in bytes.
  package let size: Int
  /// Pages that were there when they were needed, since the connection was opened.
  package let hits: Int
  package let misses: Int
  /// Pages that were written.
  package let writes: Int
  /// Compiled statements that are kept.
  package let statements: Int
}

extension Connection {
  package var memory: ConnectionMemory {
    func status(_ counter: Int32) -> Int {
      var current: Int32 = 0
      var highest: Int32 = 0
      sqlite3_db_status(handle, counter, &current, &highest, 0)
      return Int(current)
    }
    return ConnectionMemory(
      size: status(SQLITE_DBSTATUS_CACHE_USED), hits: status(SQLITE_DBSTATUS_CACHE_HIT),
      misses: status(SQLITE_DBSTATUS_CACHE_MISS), writes: status(SQLITE_DBSTATUS_CACHE_WRITE),
      statements: cache.count)
  }
}
