internal import Foundation
internal import StrataSQLite

/// A store to open: the options of the app, the model and the place of the file.
struct StoreOptions: Sendable {
  /// The options of the app.
  let settings: StackOptions
  let model: Model
  /// The names of the model's tables in the history.
  let layout: HistoryLayout
  let place: StorePath
  /// Whether no other program knows the store, which is removed when it closes.
  let isTemporary: Bool
  /// The collector of reads that are repeated with other values; nil if none are collected.
  let repeatedReads: RepeatedReads?
  /// The handlers that are called for every statement.
  let observers: StatementObservers
  /// The handler of the store's events.
  let log: EventLog

  init(_ settings: StackOptions, _ model: Model, at place: StorePath, isTemporary: Bool) {
    self.settings = settings
    self.model = model
    layout = HistoryLayout(model)
    self.place = place
    self.isTemporary = isTemporary
    repeatedReads =
      settings.recordsRepeatedReads ? RepeatedReads(pause: settings.repeatedReadPause) : nil
    observers = StatementObservers(
      trace: settings.trace, ledger: settings.recordsStatements ? StatementLedger() : nil)
    log = EventLog(handler: settings.log)
  }

  /// Whether the stack only reads the store.
  var isReadOnly: Bool { settings.access == .readOnly }

  /// The path of the store's file, beside which everything else of the store lies.
  var path: String { place.canonical }

  /// Returns the access to the store's rows through a connection.
  func access(_ connection: Connection, _ builder: RecordBuilder) -> StoreAccess {
    StoreAccess(connection: connection, model: model, builder: builder, layout: layout)
  }

  /// Opens a connection to the store's file.
  ///
  /// - Parameter file: the file that must be at the path; nil for any file.
  /// - Throws: `replaced` if another file is at the path.
  func connection(
    _ access: Connection.Access, of file: FileStatus.ID? = nil
  ) throws(StoreError) -> Connection {
    let access = isReadOnly && access != .readOnly ? .observing : access
    // A connection to another file would share the log's index with the connections to this file.
    if let file, FileStatus(path)?.id != file { throw .replaced(path) }
    let connection = try translatingErrors { () throws(SQLiteError) in
      try Connection(
        path: path, access: access, application: StoreFormat.applicationID,
        synchronous: settings.synchronous == .full ? .full : .normal,
        busyTimeout: settings.busyTimeout)
    }
    try model.registerSpellings(on: connection)
    if let file, FileStatus(path)?.id != file { throw .replaced(path) }
    // The file may have become another one when the last connection closes.
    if access != .readOnly { connection.leaveLog(true) }
    connection.reportStatements(to: observers, isOfWriter: access != .readOnly)
    return connection
  }

  /// Opens the first connection to the store's file, after the log and the journal beside it were checked.
  ///
  /// A restoration keeps the file locked and then puts another one in its place. The connection that has
  /// waited for the lock has the earlier file open, which is no longer the store.
  func firstConnection(_ access: Connection.Access) throws(StoreError) -> Connection {
    if isReadOnly { return try readingConnection() }
    for _ in 0..<3 {
      if access == .readWrite { PrivateFile.create(path) }
      for url in try LogBeside(of: path).settle(for: settings.busyTimeout, at: settings.now()) {
        log.note(.logSetAside(url))
      }
      let connection = try connection(access)
      if !connection.hasMoved { return connection }
    }
    throw .setAside
  }
}

extension StoreError {
  static func replaced(_ path: String) -> StoreError {
    StoreError(
      .replaced, "the store's file was removed, moved or replaced (\(path))",
      advice: "close the stack and open it again, which shows the rows of the file that is there "
        + "now; or put the earlier file back, and try again")
  }
}
