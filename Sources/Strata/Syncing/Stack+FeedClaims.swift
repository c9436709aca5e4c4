internal import Foundation
internal import StrataSQLite

extension Stack {
  /// What a server said of a feed when it was last imported whole; nil if the store may lack some
  /// of it.
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

  /// Begins an import of a feed: what was said of it holds no longer, as batches of the import will
  /// be in the store even if it fails.
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

  /// Marks as imported what a server says has not changed, unless the store may lack some of it
  /// since.
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
