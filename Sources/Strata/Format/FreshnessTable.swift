internal import Foundation
internal import StrataSQLite

/// The times of the cache entries' last imports, in a guest table that every store has.
enum FreshnessTable: GuestTable {
  static func create(_ connection: Connection) throws(StoreError) {
    try connection.run(
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
    let time = Cell.real(time.timeIntervalSinceReferenceDate)
    for entry in entries {
      try connection.run(write, .blob(Data(entry.hash)), .text(entry.text), time)
    }
    // About 1 in 64 entries causes a clean-up, because hashes are evenly distributed. An app that
    // marks the same few entries again and again needs no clean-up.
    guard entries.contains(where: { ($0.hash.first ?? 0) < 4 }) else { return }
    try connection.run(prune, time, .integer(Int64(limit)))
  }

  static func time(_ entry: CacheIdentity, _ connection: Connection) throws(StoreError) -> Date? {
    try connection.prepared(read, .blob(Data(entry.hash))).first {
      Date(timeIntervalSinceReferenceDate: $0.real(0))
    }
  }

  /// Removes the mark of an entry; nil removes all marks.
  static func forget(_ entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    guard let entry else { return try connection.run(deleteAll) }
    try connection.run(delete, .blob(Data(entry.hash)))
  }
}
