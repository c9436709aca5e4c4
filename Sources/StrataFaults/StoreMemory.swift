internal import CStrataSQLite

/// The limit on SQLite's memory, for the whole process: for processes that do nothing else.
package enum StoreMemory {
  /// Lets SQLite allocate this many bytes beyond its present use. Larger allocations fail.
  package static func limit(spare bytes: Int) {
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + Int64(bytes))
  }

  /// Removes the limit.
  package static func lift() { sqlite3_hard_heap_limit64(0) }
}
