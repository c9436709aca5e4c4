internal import CStrataSQLite

/// The memory that a connection uses, and how well its page cache works.
package struct ConnectionMemory: Sendable {
  /// The size of the page cache in bytes.
  package let size: Int
  /// The number of page reads that the cache answered since the connection was opened.
  package let hits: Int
  package let misses: Int
  /// The number of pages written since the connection was opened.
  package let writes: Int
  /// The number of compiled statements in the statement cache.
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
