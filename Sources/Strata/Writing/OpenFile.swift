internal import Foundation
internal import StrataSQLite

/// The writer's connection, and the tables that the file had when it was opened.
final class OpenFile {
  private enum State {
    case open(Connection)
    /// The connection is closed, because a transaction ended wrongly. The next unit opens the file.
    case lost
    /// The store is closed or suspended.
    case closed
  }

  let identity: UUID
  private let options: StoreOptions
  private let tablesHash: Int
  /// Whether the file is compared with the log's mark.
  let checksMark: Bool
  /// The open file, or the file that was open last.
  private(set) var id: FileStatus.ID?
  private var fileMark = FileMark()
  /// The open file's log; nil if it has none.
  private var log: FileStatus.ID?
  /// Whether a copy of the closed store may have the store's session, as before the first
  /// transaction.
  private(set) var needsSession: Bool
  private var state: State
  /// SQLite's version of the schema, at the last comparison of the tables.
  private(set) var schemaVersion: Int64
  /// The files as a suspension left them; nil if another program may have written meanwhile.
  private var suspendedFiles: FileState?

  init(_ connection: Connection, _ opened: OpenedState, _ options: StoreOptions) {
    state = .open(connection)
    identity = opened.identity
    tablesHash = opened.tablesHash
    schemaVersion = opened.schemaVersion
    checksMark = opened.isMarkReadable && !options.isTemporary
    needsSession = checksMark && !opened.isNew
    self.options = options
    noteFiles()
  }

  private func noteFiles() {
    id = FileStatus(options.path)?.id
    log = logID
  }

  private var logID: FileStatus.ID? { FileStatus(options.path + "-wal")?.id }

  /// The connection; nil while the file is closed, suspended or lost.
  var connection: Connection? {
    if case .open(let connection) = state { return connection }
    return nil
  }

  /// Whether the connection was given up and may be opened again.
  var isLost: Bool { if case .lost = state { true } else { false } }

  /// Rolls back the transaction, if one is open.
  ///
  /// A rollback can fail. The next unit would then write into the failed transaction, which also
  /// keeps the lock. So the connection is closed, which rolls back, and the next unit opens the
  /// file.
  func rollBack(_ connection: Connection) {
    guard connection.isInTransaction else { return }
    try? connection.run(Writer.rollback)
    if connection.isInTransaction { giveUpConnection() }
  }

  /// Rolls back the transaction of a unit in which a statement has failed.
  ///
  /// When a file operation fails or memory runs out, SQLite itself rolls back, within a statement.
  /// FTS5 runs statements of its own within a statement. After a rollback in one of these, FTS5 notes
  /// a wrong number of rows, which the next commit would store. So the connection of a store with a
  /// full-text index is closed, and the next unit opens the file. An interruption rolls back no
  /// statement of FTS5, because only the making of plain indexes is interrupted.
  func rollBackUnit(_ connection: Connection, after error: StoreError) {
    if connection.isInTransaction { return rollBack(connection) }
    if hasFullText && error.code != .cancelled { giveUpConnection() }
  }

  private var hasFullText: Bool { options.model.tables.contains { $0.search?.text != nil } }

  private func giveUpConnection() {
    (state, suspendedFiles) = (.lost, nil)
    options.log.note(.connectionClosed)
  }

  // MARK: - Tables

  private static let readSchemaVersion = SQL("PRAGMA schema_version")

  /// Returns the schema version that the open transaction leaves.
  ///
  /// The version is read within the transaction: after the commit, it may be that of another
  /// process.
  func newSchemaVersion(_ connection: Connection) throws(StoreError) -> Int64? {
    try connection.prepared(Self.readSchemaVersion).firstInteger()
  }

  /// Notes the schema version of a commit of this connection.
  func didChangeSchema(to version: Int64) { schemaVersion = version }

  /// Returns whether the tables are the tables that were opened.
  ///
  /// An import of another process may have made its indexes again. SQLite counts that as a change
  /// of the schema and compiles every statement again, but the tables are the same.
  func hasSameTables(_ connection: Connection) throws(StoreError) -> Bool {
    let version = try newSchemaVersion(connection) ?? 0
    if version == schemaVersion { return true }
    guard try StoreFormat.tablesHash(connection) == tablesHash,
      try StoreFormat.isDescribed(connection, by: options)
    else { return false }
    schemaVersion = version
    return true
  }

  // MARK: - Closing and opening again

  func close() { state = .closed }

  /// Closes the connection of a store that is suspended.
  ///
  /// - Parameter files: the files; nil unless every commit in them is accounted for.
  func suspend(leaving files: FileState?) { (state, suspendedFiles) = (.closed, files) }

  /// Opens the file that was open before; on failure nothing changes.
  ///
  /// - Parameter commit: the newest commit that this process knows.
  /// - Returns: the connection, its data version, and whether no program has written since the
  ///   suspension.
  /// - Throws: `replaced` if another file is at the path, `schemaChanged` if the tables have
  ///   changed.
  func reopen(
    after commit: Int64
  ) throws(StoreError) -> (connection: Connection, dataVersion: Int64, isUnchanged: Bool) {
    let connection: Connection
    let application: Int64?
    do throws(StoreError) {
      connection =
        isLost ? try options.connection(.existing, of: id) : try options.firstConnection(.existing)
      application = try connection.prepared("PRAGMA application_id").firstInteger()
    } catch {
      throw error.at(options.path)
    }
    // A file that is refused is left as it was found.
    if !isLost { options.willClose(connection) }
    guard application == StoreFormat.applicationID else { throw replaced }
    guard try hasSameTables(connection) else { throw .schemaChanged }
    let stored = try StoredCommit.read(connection)
    let version = try StoredCommit.dataVersion(connection)
    guard try StoreIdentity.read(connection) == identity, stored >= commit else {
      throw replaced
    }
    // The files are compared after the data version is read, so that one of the two notices a
    // commit in between.
    let isUnchanged = suspendedFiles.map(FileState(ofDatabaseAt: options.path).isUnchanged(since:))
    if !isLost { needsSession = checksMark }
    connection.leaveLog(true)
    state = .open(connection)
    noteFiles()
    return (connection, version, isUnchanged == true)
  }

  // MARK: - The place of the file

  /// Checks that the open file is the file at the path, and that nothing was written over it.
  ///
  /// The next program that opens the path does not find a commit in a file that was moved away, nor
  /// in the log of a file that was overwritten.
  ///
  /// - Parameter mark: the mark that the store has.
  /// - Returns: whether the file has the mark's own session.
  /// - Throws: `replaced`.
  @discardableResult
  func checkPlace(of connection: Connection, _ mark: LogMark) throws(StoreError) -> Bool {
    if connection.hasMoved || isTurned || hasOtherLog { throw replaced }
    if !checksMark { return true }
    let stored = try fileMark.stored(inFileOf: connection)
    if stored == .session(mark.session) { return true }
    guard mark.allows(stored, inFileAt: options.path) else { throw replaced }
    return false
  }

  /// Whether the name that the program uses leads to another file.
  private var isTurned: Bool {
    options.place.given != options.path && FileStatus(options.place.given)?.id != id
  }

  /// Whether the log at the path is no longer the open file's log.
  ///
  /// The next opening would not find what is committed to a log that was removed or moved away.
  private var hasOtherLog: Bool { logID != log }

  /// Whether the file lacks the newest session, because a reader has kept it from being written.
  func lacksSession(_ connection: Connection, _ mark: LogMark) -> Bool {
    if !checksMark || needsSession { return false }
    return (try? fileMark.stored(inFileOf: connection)) != .session(mark.session)
  }

  /// Begins the writer's own session.
  ///
  /// - Parameter counter: has the mark of the store, unless another connection has committed since.
  /// - Returns: its mark; nil if it cannot begin now, or need not begin.
  func beginSession(
    _ connection: Connection, _ counter: CommitCounter
  ) throws(StoreError) -> LogMark? {
    let outcome = try LogTie.begin(connection, at: options.path) { mark throws(StoreError) in
      // The row may have been read from a file that was overwritten.
      let isKnown = try counter.isCurrent(connection)
      if isKnown, counter.mark.session != mark.session { throw replaced }
      try checkPlace(of: connection, isKnown ? counter.mark : mark)
    }
    if case .notNow = outcome { return nil }
    needsSession = false
    if case .begun(let mark) = outcome { return mark }
    return nil
  }

  private var replaced: StoreError { .replaced(options.path) }
}
