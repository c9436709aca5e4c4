internal import Foundation
internal import StrataSQLite

/// What a server said of a feed the last time, so that it can answer "not modified": a table of the
/// store's own.
///
/// A validator says that the store has what the server sent. So it is written in the transaction that
/// completes an import, if the import left nothing out, and only if nobody took it away since the import
/// began: an eviction and `forgetImport` do, an import of another feed that deletes rows, and another
/// import of the same feed, whose claim replaces the first one's.
enum ValidatorTable {
  static let create =
    "CREATE TABLE strata_validators (entry BLOB PRIMARY KEY, value TEXT NOT NULL, "
    + "time REAL NOT NULL) WITHOUT ROWID"
  private static let read = SQL("SELECT value FROM strata_validators WHERE entry = ?1")
  private static let write = SQL(
    "INSERT OR REPLACE INTO strata_validators (entry, value, time) VALUES (?1, ?2, ?3)")
  private static let replace = SQL(
    "UPDATE strata_validators SET value = ?3 WHERE entry = ?1 AND value = ?2")
  private static let delete = SQL("DELETE FROM strata_validators WHERE entry = ?1")
  private static let deleteAll = SQL("DELETE FROM strata_validators")
  private static let deleteOthers = SQL("DELETE FROM strata_validators WHERE entry <> ?1")
  private static let prune = SQL(
    "DELETE FROM strata_validators WHERE entry IN (SELECT entry FROM strata_validators "
      + "ORDER BY time DESC LIMIT -1 OFFSET ?1)")

  static func value(
    of entry: CacheIdentity, _ connection: Connection
  ) throws(StoreError) -> String? {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: read)
      defer { statement.reset() }
      statement.bind(1, blob: entry.hash)
      guard try statement.step() else { return nil }
      let value = statement.string(0)
      try statement.checkReading()
      return value
    }
  }

  /// Replaces whatever was said of a feed.
  static func set(
    _ value: String, of entry: CacheIdentity, at time: Date, _ connection: Connection
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: write)
      statement.bind(1, blob: entry.hash)
      statement.bind(2, value)
      statement.bind(3, time.timeIntervalSinceReferenceDate)
      try statement.run()
      let prune = try connection.statement(for: prune)
      prune.bind(1, Int64(FreshnessTable.limit))
      try prune.run()
    }
  }

  /// Writes what was said of a feed if its claim still stands.
  static func complete(
    _ claim: FeedClaim, _ connection: Connection
  ) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: replace)
      statement.bind(1, blob: claim.entry.hash)
      statement.bind(2, claim.token)
      statement.bind(3, claim.value())
      try statement.run()
    }
  }

  /// Forgets what was said of one feed, or of all.
  static func forget(_ entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: entry == nil ? deleteAll : delete)
      if let entry { statement.bind(1, blob: entry.hash) }
      try statement.run()
    }
  }

  /// Forgets what was said of every feed, but for one that is being imported.
  static func forget(but entry: CacheIdentity?, _ connection: Connection) throws(StoreError) {
    guard let entry else { return try forget(nil, connection) }
    try translatingErrors { () throws(SQLiteError) in
      let statement = try connection.statement(for: deleteOthers)
      statement.bind(1, blob: entry.hash)
      try statement.run()
    }
  }
}

/// An import's promise to bring the store to what a server sent.
package struct FeedClaim: Sendable {
  let entry: CacheIdentity
  let token: String
  /// What the server said; asked for when everything was read.
  let value: @Sendable () -> String
}

extension Stack {
  /// What a server said of a feed when it was last imported whole; nil if the store may lack some of
  /// it.
  package nonisolated(nonsending) func validators(
    of entry: CacheEntry
  ) async throws(StoreError) -> String? {
    try await reading(entry) { identity, connection throws(StoreError) in
      try ValidatorTable.value(of: identity, connection)
    }
  }

  /// The claim of an import that has yet to begin.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  package func claim(
    of entry: CacheEntry, value: @escaping @Sendable () -> String
  ) throws(StoreError) -> FeedClaim {
    FeedClaim(entry: try entry.identity(store.model), token: "claim \(UUID())", value: value)
  }

  /// Begins an import of a feed: what was said of it holds no longer, as batches of the import will be
  /// in the store even if it fails.
  ///
  /// - Parameter known: what was said of the feed when its server was asked.
  /// - Returns: whether it still was: pages that were left out may otherwise not be in the store.
  package nonisolated(nonsending) func begin(
    _ claim: FeedClaim, ifStill known: String?
  ) async throws(StoreError) -> Bool {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      var isStill = false
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        isStill = try ValidatorTable.value(of: claim.entry, connection) == known
        if isStill {
          try ValidatorTable.set(
            claim.token, of: claim.entry, at: writer.options.now(), connection)
        }
        return [:]
      }
      return isStill
    }
  }

  /// Marks as imported what a server says has not changed, unless the store may lack some of it since.
  package nonisolated(nonsending) func markFresh(
    _ entries: [CacheEntry], ifStill value: String, of feed: CacheEntry
  ) async throws(StoreError) -> Bool {
    let identities = try Set(entries, store.model)
    let identity = try feed.identity(store.model)
    return try await store.writer.submit(.normal) { writer throws(StoreError) in
      var isStill = false
      _ = try writer.transaction(isCounted: true) { connection throws(StoreError) in
        isStill = try ValidatorTable.value(of: identity, connection) == value
        if isStill { try FreshnessTable.mark(identities, at: writer.options.now(), connection) }
        return [:]
      }
      return isStill
    }
  }

  /// A number that is another one when the schema of the store's entities is.
  package var schemaFingerprint: Int64 { store.model.fingerprint }

  /// What tells an entry from any other, in digits.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  package func fingerprint(of entry: CacheEntry) throws(StoreError) -> String {
    try entry.identity(store.model).hash.map { String($0, radix: 16) }.joined(separator: "-")
  }
}
