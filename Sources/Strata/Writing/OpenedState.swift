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
  let isNew: Bool
  let mark: LogMark
  /// Whether the mark can be read from the file without its log.
  let isMarkReadable: Bool
  /// Whether an import has dropped indexes and has not made them again.
  let hasDeferredIndexes: Bool

  /// Reads the state in one transaction.
  ///
  /// - Throws: `schemaChanged` if the tables are no longer the program's.
  ///
  /// - Parameter isNew: whether this opening has created the store.
  init(
    _ connection: Connection, _ options: StoreOptions, isNew: Bool = false
  ) throws(StoreError) {
    self.isNew = isNew
    try connection.run("BEGIN")
    defer { try? connection.run("ROLLBACK") }
    guard try StoreFormat.isDescribed(connection, by: options) else { throw .schemaChanged }
    identity = try StoreIdentity.read(connection)
    tablesHash = try StoreFormat.tablesHash(connection)
    schemaVersion = try connection.prepared("PRAGMA schema_version").firstInteger() ?? 0
    var mark: LogMark
    (commit, mark) = try StoredCommit.readMarked(connection)
    dataVersion = try StoredCommit.dataVersion(connection)
    isMarkReadable = try LogMark.isReadable(connection)
    if isMarkReadable {
      mark.isInFile = try LogMark.stored(inFileOf: connection) == .session(mark.session)
    }
    self.mark = mark
    hasDeferredIndexes = try DeferredIndexes.exist(connection)
  }
}
