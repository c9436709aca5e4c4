internal import Foundation
internal import StrataSQLite

/// The state of a store when its writer opens it, all of it as of one commit.
///
/// As soon as the store is open, another process may migrate it. Separate reads could then see the
/// tables of two versions, and the writer would take them for its own.
struct OpenedState {
  let identity: UUID
  let tablesHash: Int
  let schemaVersion: Int64
  let commit: Int64
  let dataVersion: Int64
  /// Whether an import has dropped indexes and has not made them again.
  let hasDeferredIndexes: Bool

  /// Reads the state in one transaction.
  ///
  /// - Throws: `schemaChanged` if the tables are no longer the program's.
  init(_ connection: Connection, _ options: StoreOptions) throws(StoreError) {
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    guard try StoreFormat.isDescribed(connection, by: options) else { throw .schemaChanged }
    identity = try StoreIdentity.read(connection)
    tablesHash = try StoreFormat.tablesHash(connection)
    schemaVersion = try connection.prepared("PRAGMA schema_version").firstInteger() ?? 0
    commit = try StoredCommit.read(connection)
    dataVersion = try CommitCounter.dataVersion(connection)
    hasDeferredIndexes = try DeferredIndexes.exist(connection)
  }
}
