internal import StrataSQLite

/// The beginning of a session, which ties the write-ahead log to the database file.
enum LogTie {
  private static let begin = SQL("BEGIN IMMEDIATE")
  private static let commit = SQL("COMMIT")
  private static let rollback = SQL("ROLLBACK")

  /// The outcome of an attempt to begin a session.
  enum Outcome {
    case begun(LogMark)
    /// Another connection writes or writes back.
    case notNow
    /// A reader of another process keeps a part of the log, which already has a session.
    case isRunning
  }

  /// Commits a mark with a new session; called outside of a transaction.
  ///
  /// The commit has no number of its own. The caller then writes the log back, so that the file has
  /// the session, too. Until then, the file is known by its state before the session. So a session
  /// begins only while the whole log is written back, and nothing older can change the file.
  ///
  /// - Parameter check: checks the mark of the session before, before anything is written, and again
  ///   with the lock. Its error with the lock is thrown.
  static func begin(
    _ connection: Connection, at path: String,
    _ check: (LogMark) throws(StoreError) -> Void = { _ in }
  ) throws(StoreError) -> Outcome {
    // Without the lock, another connection may begin a session between two looks.
    let mayWriteBack = (try? check(try StoredCommit.readMarked(connection).mark)) != nil
    var version: Int64?
    if mayWriteBack {
      switch try writeBack(connection) {
      case .all(let dataVersion): version = dataVersion
      case .some: return .isRunning
      case .unknown: return .notNow
      }
    }
    try connection.run(begin)
    do throws(StoreError) {
      try check(try StoredCommit.readMarked(connection).mark)
      var mark: LogMark?
      if let version { mark = try Self.mark(connection, at: path, ifVersionIs: version) }
      try connection.run(mark == nil ? rollback : commit)
      return mark.map { .begun($0) } ?? .notNow
    } catch {
      if connection.isInTransaction { try? connection.run(rollback) }
      throw error
    }
  }

  /// The part of the log that is written back.
  enum WriteBack {
    /// All of it, unless SQLite's data version changes.
    case all(dataVersion: Int64)
    case some
    /// Another connection writes back.
    case unknown
  }

  /// Writes the log back; called outside of a transaction.
  static func writeBack(_ connection: Connection) throws(StoreError) -> WriteBack {
    let version = try StoredCommit.dataVersion(connection)
    // SQLite reports -1 frames while another connection writes back.
    guard let log = try? connection.checkpointPassively(), log.frames >= 0 else { return .unknown }
    return log.done == log.frames ? .all(dataVersion: version) : .some
  }

  /// Writes a mark with a new session, in the caller's transaction.
  ///
  /// - Parameter version: SQLite's data version when the whole log was last written back.
  /// - Returns: nil, without a change, if another connection has committed since.
  static func mark(
    _ connection: Connection, at path: String, ifVersionIs version: Int64
  ) throws(StoreError) -> LogMark? {
    guard try StoredCommit.dataVersion(connection) == version else { return nil }
    let mark = LogMark(
      after: try StoredCommit.readMarked(connection).mark.session,
      over: try LogMark.pages(inFileOf: connection).page, at: path)
    try StoredCommit.write(mark, connection)
    return mark
  }

  /// Changes the page of the mark, in a transaction that does not change the commit number.
  ///
  /// Otherwise a log could begin with a transaction that tells nothing about its file.
  static func stamp(_ connection: Connection) throws(StoreError) {
    var mark = try StoredCommit.readMarked(connection).mark
    mark.count += 1
    try StoredCommit.write(mark, connection)
  }
}
