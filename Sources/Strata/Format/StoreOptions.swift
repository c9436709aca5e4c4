internal import Foundation
internal import StrataSQLite

/// The options with which a store is opened.
struct StoreOptions: Sendable {
  let path: String
  let model: Model
  let synchronous: Connection.Synchronous
  let busyTimeout: Duration
  let schemaVersion: Int
  let migration: MigrationOptions
  /// The length that the write-ahead log should not exceed, in bytes.
  let logLimit: Int
  /// The longest time for which commits wait until the view context is up to date.
  let logPatience: Duration
  /// The limits of backlogs and of idle readers.
  let bounds: StoreBounds
  /// The amount of history that the store keeps; nil for none.
  let history: HistoryOptions?
  /// The author of commits, unless a context has its own author.
  let author: String
  /// Whether the store notices foreign commits at once, and notifies other processes of its own.
  let watchesOtherProcesses: Bool
  /// The collector of reads that are repeated with other values; nil if none are collected.
  let repeatedReads: RepeatedReads?
  /// The handlers that are called for every statement.
  let observers: StatementObservers
  /// The handler of the store's events.
  let log: EventLog
  /// The clock.
  let now: @Sendable () -> Date

  /// Opens a connection to the store's file.
  func connection(_ access: Connection.Access) throws(StoreError) -> Connection {
    let connection = try translatingErrors { () throws(SQLiteError) in
      try Connection(
        path: path, access: access, application: StoreFormat.applicationID,
        synchronous: synchronous, busyTimeout: busyTimeout)
    }
    try model.registerSpellings(on: connection)
    connection.reportStatements(to: observers, isOfWriter: access != .readOnly)
    return connection
  }
}
