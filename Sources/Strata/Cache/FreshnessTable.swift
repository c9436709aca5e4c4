internal import Foundation
internal import StrataSQLite

/// When what was imported: a table of the store's own, which every store has.
enum FreshnessTable {
  static let create =
    "CREATE TABLE strata_freshness (id BLOB PRIMARY KEY, text TEXT NOT NULL, "
    + "time REAL NOT NULL) WITHOUT ROWID"
  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_freshness (id, text, time) VALUES (?1, ?2, ?3)")
  private static let read = SQL("SELECT time FROM strata_freshness WHERE id = ?1")
  private static let delete = SQL("DELETE FROM strata_freshness WHERE id = ?1")
  private static let deleteAll = SQL("DELETE FROM strata_freshness")

  static func mark(
    _ entries: Set<CacheIdentity>, at time: Date, _ connection: Connection
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: write)
      for entry in entries {
        statement.bind(1, blob: entry.hash)
        statement.bind(2, entry.text)
        statement.bind(3, time.timeIntervalSinceReferenceDate)
        try statement.run()
      }
    }
  }

  static func time(_ entry: CacheIdentity, _ connection: Connection) throws(StoreError) -> Date? {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: read)
      defer { statement.reset() }
      statement.bind(1, blob: entry.hash)
      return try statement.step() ? Date(timeIntervalSinceReferenceDate: statement.real(0)) : nil
    }
  }

  /// Forgets one entry, or all.
  static func forget(_ entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: entry == nil ? deleteAll : delete)
      if let entry { statement.bind(1, blob: entry.hash) }
      try statement.run()
    }
  }
}

extension Writer {
  /// Makes one cache entry stale, or all.
  func forgetFreshness(_ entry: CacheIdentity?) throws(StoreError) {
    _ = try transaction(isCounted: true) { connection throws(StoreError) in
      try FreshnessTable.forget(entry, connection)
      return [:]
    }
  }
}
