internal import Foundation
internal import StrataSQLite

/// The options with which a writer opens a store.
struct StoreOptions: Sendable {
  let path: String
  let model: Model
  let synchronous: Connection.Synchronous
  let busyTimeout: Duration
  let schemaVersion: Int
  var migration = MigrationOptions()
  /// The length that the write-ahead log should not exceed, in bytes.
  let logLimit: Int
  /// The longest time for which commits wait until the view context is up to date.
  var logPatience = CheckpointRule.patience
  /// The limits of backlogs and of idle readers.
  var bounds = StoreBounds()
  /// The amount of history that the store keeps; nil for none.
  var history: HistoryOptions?
  /// The author of commits, unless a context has its own author.
  var author = ""
  /// Whether the store notices foreign commits at once, and notifies other processes of its own.
  var watchesOtherProcesses = true
  /// The collector of reads that are repeated with other values; nil if none are collected.
  var repeatedReads: RepeatedReads?
  /// The handlers that are called for every statement.
  var observers = StatementObservers()
  /// The handler of the store's events.
  var log = EventLog()
  /// The clock.
  var now: @Sendable () -> Date = { Date() }

  /// Opens a connection that writes.
  func connection(_ access: Connection.Access) throws(StoreError) -> Connection {
    let connection = try translatingErrors { () throws(SQLiteError) in
      try Connection(
        path: path, access: access, application: StoreFormat.applicationID,
        synchronous: synchronous, busyTimeout: busyTimeout)
    }
    connection.reportStatements(to: observers, isOfWriter: true)
    return connection
  }
}
