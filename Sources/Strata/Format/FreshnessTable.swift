internal import Foundation
internal import StrataSQLite

/// The times of the cache entries' last imports, in a guest table that every store has.
enum FreshnessTable: GuestTable {
  static func create(_ connection: Connection) throws(SQLiteError) {
    try connection.execute(
      "CREATE TABLE strata_freshness (id BLOB PRIMARY KEY, text TEXT NOT NULL, "
        + "time REAL NOT NULL) WITHOUT ROWID")
  }

  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_freshness (id, text, time) VALUES (?1, ?2, ?3)")
  private static let read = SQL("SELECT time FROM strata_freshness WHERE id = ?1")
  private static let delete = SQL("DELETE FROM strata_freshness WHERE id = ?1")
  private static let deleteAll = SQL("DELETE FROM strata_freshness")

  /// The number of marks that a clean-up keeps; between two clean-ups there may be more.
  static let limit = 10_000
  // Marks with a time in the future are deleted first, because they make no entry fresh.
  private static let prune = SQL(
    "DELETE FROM strata_freshness WHERE id IN (SELECT id FROM strata_freshness "
      + "ORDER BY time > ?1, time DESC LIMIT -1 OFFSET ?2)")

  /// Marks entries, and from time to time deletes the oldest marks beyond ``limit``.
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
      // About 1 in 64 entries causes a clean-up, because hashes are evenly distributed. An app that
      // marks the same few entries again and again needs no clean-up.
      guard entries.contains(where: { ($0.hash.first ?? 0) < 4 }) else { return }
      let prune = try connection.statement(for: prune)
      prune.bind(1, time.timeIntervalSinceReferenceDate)
      prune.bind(2, Int64(limit))
      try prune.run()
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

  /// Removes the mark of an entry; nil removes all marks.
  static func forget(_ entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: entry == nil ? deleteAll : delete)
      if let entry { statement.bind(1, blob: entry.hash) }
      try statement.run()
    }
  }
}
