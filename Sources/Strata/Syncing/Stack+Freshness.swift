public import Foundation
internal import StrataSQLite

extension Stack {
  /// Returns when an entry was last marked as imported; nil if it never was, or if it was
  /// forgotten.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func lastImported(
    _ entry: CacheEntry
  ) async throws -> Date? {
    try await reading(entry) { identity, connection throws(StoreError) in
      try FreshnessTable.time(identity, connection)
    }
  }

  /// Runs `body` on the newest commit, with the identity of an entry.
  nonisolated(nonsending) func reading<Value: Sendable>(
    _ entry: CacheEntry,
    _ body: @escaping @Sendable (CacheIdentity, Connection) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let identity = try entry.identity(store.model)
    return try await store.reading { snapshot throws(StoreError) in
      try await snapshot.read { _, connection throws(StoreError) in
        try body(identity, connection)
      }
    }
  }

  /// Returns when a query's result was last marked as imported; nil if it never was, or was
  /// forgotten.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func lastImported<E: Entity>(
    _ query: Query<E>
  ) async throws -> Date? {
    try await lastImported(.query(query))
  }

  /// Returns whether an entry was last imported longer ago than an age, or was never imported.
  ///
  /// An import in the future counts as well: the clock was set back since then.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func isStale(
    _ entry: CacheEntry, olderThan age: Duration
  ) async throws -> Bool {
    guard let time = try await lastImported(entry) else { return true }
    let passed = store.now().timeIntervalSince(time)
    // A time that a duration cannot hold also makes the entry stale.
    guard (0...1e18).contains(passed) else { return true }
    return Duration.seconds(passed) > age
  }

  /// Returns whether a query's result was last imported longer ago than an age, or never.
  ///
  /// An import in the future counts as well: the clock was set back since then.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func isStale<E: Entity>(
    _ query: Query<E>, olderThan age: Duration
  ) async throws -> Bool {
    try await isStale(.query(query), olderThan: age)
  }

  /// Marks entries as imported, for rows that are already committed.
  ///
  /// `ScratchContext.markFresh` marks entries in the transaction of a save. An import marks its own
  /// entries.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func markFresh(
    _ entries: CacheEntry...
  ) async throws {
    let identities = try Set(entries, store.model)
    try await store.transaction { transaction throws(StoreError) in
      try transaction.markFresh(identities)
    }
  }

  /// Marks the result of a query as imported, for rows that are already committed.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func markFresh<E: Entity>(
    _ query: Query<E>
  ) async throws {
    try await markFresh(.query(query))
  }

  /// Makes an entry stale, whatever the time of its import.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetImport(
    of entry: CacheEntry
  ) async throws {
    let identity = try entry.identity(store.model)
    try await store.transaction { transaction throws(StoreError) in
      try transaction.forgetImport(identity)
    }
  }

  /// Makes the result of a query stale, whatever the time of its import.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetImport<E: Entity>(
    of query: Query<E>
  ) async throws {
    try await forgetImport(of: .query(query))
  }

  /// Makes every entry stale.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetAllImports() async throws {
    try await store.transaction { transaction throws(StoreError) in
      try transaction.forgetImport(nil)
    }
  }
}

extension Set<CacheIdentity> {
  init(_ entries: [CacheEntry], _ model: Model) throws(StoreError) {
    self = []
    for entry in entries { insert(try entry.identity(model)) }
  }
}
