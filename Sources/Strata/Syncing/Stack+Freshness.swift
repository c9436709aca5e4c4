public import Foundation
internal import StrataSQLite

extension Stack {
  /// When something was last marked as imported; nil if it never was, or was forgotten.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func lastImported(
    _ entry: CacheEntry
  ) async throws(StoreError) -> Date? {
    try await reading(entry) { identity, connection throws(StoreError) in
      try FreshnessTable.time(identity, connection)
    }
  }

  /// Reads what the newest commit keeps of an entry.
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

  /// When the result of a query was last marked as imported; nil if it never was, or was forgotten.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func lastImported<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> Date? {
    try await lastImported(.query(query))
  }

  /// Whether something was imported longer ago than an age, never, or in the future: the clock was
  /// set back since.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func isStale(
    _ entry: CacheEntry, olderThan age: Duration
  ) async throws(StoreError) -> Bool {
    guard let time = try await lastImported(entry) else { return true }
    let passed = store.now().timeIntervalSince(time)
    // Also what is more than a duration holds.
    guard (0...1e18).contains(passed) else { return true }
    return Duration.seconds(passed) > age
  }

  /// Whether the result of a query was imported longer ago than an age, never, or in the future.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func isStale<E: Entity>(
    _ query: Query<E>, olderThan age: Duration
  ) async throws(StoreError) -> Bool {
    try await isStale(.query(query), olderThan: age)
  }

  /// Marks as imported what has been committed already.
  ///
  /// `ScratchContext.markFresh` does it in the transaction of a save, and an import by itself.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func markFresh(
    _ entries: CacheEntry...
  ) async throws(StoreError) {
    let identities = try Set(entries, store.model)
    _ = try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.saveReporting(Layer(), policy: .error, marking: identities)
    }
  }

  /// Marks the result of a query as imported, of what has been committed already.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func markFresh<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) {
    try await markFresh(.query(query))
  }

  /// Makes something stale, whenever it was imported.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetImport(
    of entry: CacheEntry
  ) async throws(StoreError) {
    let identity = try entry.identity(store.model)
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.forgetFreshness(identity)
    }
  }

  /// Makes the result of a query stale, whenever it was imported.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetImport<E: Entity>(
    of query: Query<E>
  ) async throws(StoreError) {
    try await forgetImport(of: .query(query))
  }

  /// Makes everything stale.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func forgetAllImports() async throws(StoreError) {
    try await store.writer.submit(.normal) { writer throws(StoreError) in
      try writer.forgetFreshness(nil)
    }
  }
}

extension Set<CacheIdentity> {
  init(_ entries: [CacheEntry], _ model: Model) throws(StoreError) {
    self = []
    for entry in entries { insert(try entry.identity(model)) }
  }
}
