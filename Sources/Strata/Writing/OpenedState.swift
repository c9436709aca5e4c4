internal import Foundation
internal import StrataSQLite

/// What a writer knows of its store from the beginning, all of it from one commit.
///
/// Another process may migrate the store as soon as it is open: what is read one by one could be
/// half of its tables, and taken for one's own.
struct OpenedState {
  let identity: UUID
  let tablesHash: Int
  let schemaVersion: Int64
  let commit: Int64
  let dataVersion: Int64
  /// Whether an import has put off indexes and has not made them yet.
  let owesIndexes: Bool

  /// - Throws: `schemaChanged` if the tables are not the program's any more.
  init(_ connection: Connection, _ options: StoreOptions) throws(StoreError) {
    try translatingErrors { () throws(SQLiteError) in try connection.execute("BEGIN") }
    defer { try? connection.execute("ROLLBACK") }
    guard try StoreFormat.isDescribed(connection, by: options) else { throw .schemaChanged }
    identity = try HistoryFormat.identity(connection)
    tablesHash = try StoreFormat.tablesHash(connection)
    (schemaVersion, commit, dataVersion, owesIndexes) = try translatingErrors {
      () throws(SQLiteError) in
      (
        try connection.integer("PRAGMA schema_version") ?? 0,
        try StoredCommit.read(connection),
        try CommitCounter.dataVersion(connection),
        try DeferredIndexes.areOwed(connection)
      )
    }
  }
}
