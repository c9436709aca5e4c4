internal import Foundation
internal import StrataSQLite

/// What a writer needs to know to open a store.
struct StoreOptions: Sendable {
  let path: String
  let model: Model
  let synchronous: Connection.Synchronous
  let busyTimeout: Duration
  let schemaVersion: Int
  var migration = MigrationOptions()
  /// How long the write-ahead log should grow, in bytes.
  let logLimit: Int
  /// How long commits may be held up for the view context to come to rest.
  var logPatience = CheckpointRule.patience
  /// How much is kept of what somebody has not taken yet.
  var bounds = StoreBounds()
  /// How much history is kept; nil for none.
  var history: HistoryOptions?
  /// Who commits, if a context does not say.
  var author = ""
  /// Whether others are told of commits, and theirs are listened for.
  var watchesOtherProcesses = true
  /// Where reads that are repeated with other values are noted; nil if they are not.
  var repeatedReads: RepeatedReads?
  /// Told of every statement.
  var observers = StatementObservers()
  /// Told of what happens.
  var log = EventLog()
  /// What time it is.
  var now: @Sendable () -> Date = { Date() }

  /// Opens a connection that writes.
  func connection(_ access: Connection.Access) throws(SQLiteError) -> Connection {
    let connection = try Connection(
      path: path, access: access, application: StoreFormat.applicationID,
      synchronous: synchronous, busyTimeout: busyTimeout)
    connection.tell(observers, isOfWriter: true)
    return connection
  }
}
