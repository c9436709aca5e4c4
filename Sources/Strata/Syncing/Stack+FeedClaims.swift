internal import Foundation
internal import StrataSQLite

extension Stack {
  /// Returns the validators of a feed's last complete import; nil if the store may lack some of its
  /// rows.
  ///
  /// From the beginning of an import until it completes, the result is the token of its claim.
  package nonisolated(nonsending) func validators(
    of entry: CacheEntry
  ) async throws(StoreError) -> String? {
    try await reading(entry) { identity, connection throws(StoreError) in
      try ValidatorTable.value(of: identity, connection)
    }
  }

  /// Returns the claim of an import that has not begun yet.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  package func claim(
    of entry: CacheEntry, value: @escaping @Sendable () -> String
  ) throws(StoreError) -> FeedClaim {
    FeedClaim(entry: try entry.identity(store.model), token: "claim \(UUID())", value: value)
  }

  /// Begins an import of a feed, and replaces the feed's validators by the claim.
  ///
  /// The validators no longer hold, because batches of the import stay in the store even if it
  /// fails.
  ///
  /// - Parameter known: the feed's validators when its server was asked.
  /// - Returns: whether the validators were still the same. If not, pages that the server left out
  ///   may be missing in the store.
  package nonisolated(nonsending) func begin(
    _ claim: FeedClaim, ifStill known: String?
  ) async throws(StoreError) -> Bool {
    try await store.transaction { transaction throws(StoreError) in
      let connection = transaction.connection
      guard try ValidatorTable.value(of: claim.entry, connection) == known else { return false }
      try ValidatorTable.set(claim.token, of: claim.entry, at: transaction.now(), connection)
      transaction.isCounted = true
      return true
    }.result
  }

  /// Marks entries as imported because the server says that the feed has not changed.
  ///
  /// Does nothing if the feed's validators are not the same any more, because the store may lack
  /// rows.
  package nonisolated(nonsending) func markFresh(
    _ entries: [CacheEntry], ifStill value: String, of feed: CacheEntry
  ) async throws(StoreError) -> Bool {
    let identities = try Set(entries, store.model)
    let identity = try feed.identity(store.model)
    return try await store.transaction { transaction throws(StoreError) in
      guard try ValidatorTable.value(of: identity, transaction.connection) == value else {
        return false
      }
      try transaction.markFresh(identities)
      return true
    }.result
  }

  /// A number that changes with the schema of the store's entities.
  package var schemaFingerprint: Int64 { store.model.fingerprint }

  /// Returns digits that tell an entry from every other entry.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`.
  package func fingerprint(of entry: CacheEntry) throws(StoreError) -> String {
    try entry.identity(store.model).hash.map { String($0, radix: 16) }.joined(separator: "-")
  }
}
