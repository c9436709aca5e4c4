internal import CStrataSQLite

/// How much memory SQLite gets, for the whole process: for processes that do nothing else.
package enum StoreMemory {
  /// Lets SQLite have so many bytes beyond what it has now; what asks for more is told that there
  /// is none.
  package static func limit(spare bytes: Int) {
    sqlite3_hard_heap_limit64(sqlite3_memory_used() + Int64(bytes))
  }

  /// Lets SQLite have what it asks for.
  package static func lift() { sqlite3_hard_heap_limit64(0) }
}
