internal import CStrataSQLite

/// An SQLite handle, confined to one executor.
///
/// A connection that writes a store puts the file into write-ahead-log mode. Every connection has a
/// busy timeout: even the only writer of a process can meet a reader that briefly holds the log's
/// write lock.
package final class Connection {
  package enum Access: Sendable {
    /// Reads and writes the file, and creates it for its owner alone if it does not exist.
    case readWrite
    /// Reads and writes a file that must exist.
    case existing
    case readOnly
    /// Reads a file that must exist, and changes neither the file nor its log.
    ///
    /// Other than with `readOnly`, the last connection to close can remove the log.
    case observing
    /// Reads and writes a file that no other connection has open, without a log beside it, and creates
    /// the file for its owner alone if it does not exist.
    ///
    /// A log or a journal that lies beside the file is first applied to it. Each commit waits for the disk.
    case alone
    /// A private database in a temporary file without a name.
    ///
    /// The path is ignored. The file disappears with the connection, and with the process however
    /// the process ends. After a rollback the contents are undefined.
    case temporary
    /// A private database in memory, in which rollbacks work. The path is ignored.
    case memory
  }

  package enum Synchronous: String, Sendable {
    /// A commit survives a crash of the process; a power loss may undo the newest commits.
    case normal = "NORMAL"
    /// A commit survives a power loss.
    case full = "FULL"
  }

  let handle: OpaquePointer
  var cache = StatementCache()
  private let cancellation = CancellationProbe()
  /// The busy timeout in milliseconds.
  private let busyTimeout: Int32
  private let log = LogProbe()
  private var statementTrace: StatementTrace?

  /// Opens the file at `path`, creating it when `access` allows.
  ///
  /// - Parameter application: the application id of the caller's files. A file of another program
  ///   is also opened but keeps its journal mode, so that the caller can refuse it unchanged.
  package init(
    path: String, access: Access, application: Int64? = nil, synchronous: Synchronous = .normal,
    busyTimeout: Duration
  ) throws(SQLiteError) {
    var handle: OpaquePointer?
    let flags =
      switch access {
      case .readWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      // A file that may not be written is opened for reading.
      case .existing, .observing: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      case .alone, .temporary, .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let path =
      switch access {
      case .temporary: ""
      case .memory: ":memory:"
      case .readWrite, .existing, .readOnly, .observing, .alone: path
      }
    if access == .readWrite || access == .alone { PrivateFile.create(path) }
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let error = SQLiteError(code: code, connection: handle, sql: nil, isOpen: false)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    self.busyTimeout = Int32(max(0, min(busyTimeout / .milliseconds(1), Double(Int32.max))))
    sqlite3_busy_timeout(handle, self.busyTimeout)
    // From here on, `deinit` closes the handle if the rest of the setup fails.
    try registerFunctions()
    if access == .memory { return }
    if access == .temporary {
      try execute("PRAGMA journal_mode = OFF")
      try execute("PRAGMA synchronous = OFF")
      return
    }
    if access == .alone {
      try keepAlone()
      return
    }
    if access != .readOnly && access != .observing {
      // Darwin's `fsync` leaves bytes in the disk's own cache. A full sync also writes these.
      try execute("PRAGMA checkpoint_fullfsync = ON")
      if synchronous == .full { try execute("PRAGMA fullfsync = ON") }
      try waitForLocks { () throws(SQLiteError) in
        if try belongs(to: application) { try keepLog() }
      }
      // The writer decides about checkpoints. A checkpoint must not be a side effect of a commit.
      try execute("PRAGMA wal_autocheckpoint = 0")
      sqlite3_wal_hook(
        handle,
        { context, _, _, frames in
          guard let context else { return SQLITE_OK }
          Unmanaged<LogProbe>.fromOpaque(context).takeUnretainedValue().frames = Int(frames)
          return SQLITE_OK
        }, Unmanaged.passUnretained(log).toOpaque())
    } else {
      try execute("PRAGMA query_only = ON")
    }
    try execute("PRAGMA synchronous = \(synchronous.rawValue)")
  }

  deinit {
    cache.removeAll()
    sqlite3_close_v2(handle)
  }

  /// Keeps the trace that SQLite calls alive; nil ends it.
  func keep(_ trace: StatementTrace?) { statementTrace = trace }

  /// Registers the functions, collations and tables that the SQL of filters uses beyond SQLite's
  /// own.
  private func registerFunctions() throws(SQLiteError) {
    for register in [
      CaseFolding.register, TextCollation.register, ValueList.register, GreatCircle.register,
      ExactSum.register, TextTokenizer.register,
    ] {
      let code = register(handle)
      guard code == SQLITE_OK else {
        throw SQLiteError(code: code, connection: handle, sql: nil)
      }
    }
  }

  /// Runs `body` again while another connection is in the way, up to the busy timeout.
  ///
  /// SQLite does not ask its busy handler while it changes the journal mode, because it holds a lock
  /// for reading then, and two connections that wait like that would wait for each other. Between
  /// two attempts this connection holds no lock.
  private func waitForLocks(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
    let end = ContinuousClock.now + .milliseconds(Int64(busyTimeout))
    var (waited, pause) = (Int32(0), Int32(1))
    while true {
      do throws(SQLiteError) { return try body() } catch {
        guard error.isBusy, waited < busyTimeout, ContinuousClock.now < end else { throw error }
        sqlite3_sleep(min(pause, busyTimeout - waited))
        waited += pause
        // The pauses differ between processes, so that they do not meet again and again.
        pause = min(pause * 2, 16) + Int32.random(in: 0...4)
      }
    }
  }

  /// Locks the file against all other connections, and takes it out of write-ahead-log mode.
  package func keepAlone() throws(SQLiteError) {
    for sql in [
      "PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON", "PRAGMA locking_mode = EXCLUSIVE",
      "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE; COMMIT",
    ] { try execute(sql) }
  }

  /// Puts the file into write-ahead-log mode.
  ///
  /// On a file system without shared memory, SQLite keeps the mode that the file has and reports no
  /// error.
  private func keepLog() throws(SQLiteError) {
    let sql = "PRAGMA journal_mode = WAL"
    // `execute` runs the pragma to its end, which writes the file's header and may fail.
    try execute(sql)
    let mode = try text("PRAGMA journal_mode")
    guard mode == "wal" else { throw .withoutLog(mode: mode ?? "", sql: sql) }
  }

  /// Returns whether the file is new or carries the application id; true for any file if the id is
  /// nil.
  private func belongs(to application: Int64?) throws(SQLiteError) -> Bool {
    guard let application else { return true }
    let id = try integer("PRAGMA application_id")
    if id == application { return true }
    if id != 0 { return false }
    return try integer("SELECT count(*) FROM sqlite_schema") == 0
  }

  /// Runs SQL text that takes no parameters, and ignores the rows that it returns.
  package func execute(_ sql: String) throws(SQLiteError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: handle, sql: sql) }
  }

  /// Compiles a statement that the caller keeps.
  package func prepare(_ sql: String) throws(SQLiteError) -> Statement {
    try Statement(sql, on: handle)
  }

  /// Returns the statement for `sql`, which is compiled once and then found by the identity of
  /// `sql`.
  package func statement(for sql: SQL) throws(SQLiteError) -> Statement {
    if let found = cache.find(sql) { return found }
    let statement = try Statement(sql.text, on: handle)
    cache.add(statement, for: sql)
    return statement
  }

  /// Returns the integer of a query with one row and one column, or nil if there is no row.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Returns the text of a query with one row and one column, or nil if there is no row.
  package func text(_ sql: String) throws(SQLiteError) -> String? {
    let statement = try prepare(sql)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let text = statement.string(0)
    try statement.checkReading()
    return text
  }

  /// The row number of this connection's last insertion.
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

  /// The size of the header before the page in a frame of the log, in bytes.
  package static let frameHeaderSize = 24

  /// The number of frames in the write-ahead log after this connection's last commit.
  package var logFrames: Int { log.frames }

  /// Whether a transaction is open. An error can end the transaction by itself.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Writes the changed pages of the open transaction to the log, before its commit.
  ///
  /// Pages that a running statement holds stay in memory.
  package func writePages() throws(SQLiteError) {
    let code = sqlite3_db_cacheflush(handle)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, connection: handle, sql: nil) }
  }

  /// Moves all frames from the log into the database file and makes the log empty, without waiting.
  ///
  /// - Returns: whether it is done; false while any connection reads the log.
  package func emptyLog() throws(SQLiteError) -> Bool {
    setWaitsForLocks(false)
    defer { setWaitsForLocks(true) }
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    if code & 0xFF == SQLITE_BUSY { return false }
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code, connection: handle, sql: "PRAGMA wal_checkpoint")
    }
    return true
  }

  /// Moves as many frames as possible from the log into the database file, without waiting.
  ///
  /// Other checkpoint modes would stall the only writer for the whole busy timeout.
  ///
  /// - Returns: the number of frames in the log, and how many of them are in the database file.
  package func checkpointPassively() throws(SQLiteError) -> (frames: Int, done: Int) {
    var frames: Int32 = 0
    var done: Int32 = 0
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &frames, &done)
    // Busy means that another checkpoint runs. Nothing is lost: the next checkpoint does the work.
    guard code == SQLITE_OK || code & 0xFF == SQLITE_BUSY else {
      throw SQLiteError(code: code, connection: handle, sql: "PRAGMA wal_checkpoint")
    }
    return (Int(frames), Int(done))
  }
}

// MARK: - Cancellation

extension Connection {
  /// Makes running statements fail with `SQLITE_INTERRUPT` once `flag` is raised.
  ///
  /// A progress handler reads the flag. `sqlite3_interrupt` would also hit the connection's next
  /// statement.
  ///
  /// - Parameter patience: the number of instructions of SQLite's virtual machine, in thousands,
  ///   after which statements also stop; nil for no limit.
  package func installCancellation(_ flag: CancellationFlag, patience: Int? = nil) {
    cancellation.flag = flag
    cancellation.patience = patience
    let context = Unmanaged.passUnretained(cancellation).toOpaque()
    sqlite3_progress_handler(
      handle, 1000,
      { context in
        guard let context else { return 0 }
        let probe = Unmanaged<CancellationProbe>.fromOpaque(context).takeUnretainedValue()
        return probe.stops() ? 1 : 0
      }, context)
  }

  /// Sets whether a statement that finds the store locked waits for the busy timeout or fails at
  /// once.
  package func setWaitsForLocks(_ waits: Bool) {
    sqlite3_busy_timeout(handle, waits ? busyTimeout : 0)
  }

  /// Runs `body`, whose statements stop when the cancellation flag of another connection is raised.
  ///
  /// This connection works for the other one during `body`.
  package func stopping<Failure>(
    with other: Connection, _ body: () throws(Failure) -> Void
  ) throws(Failure) {
    guard let flag = other.cancellation.flag else { return try body() }
    installCancellation(flag)
    defer { removeCancellation() }
    try body()
  }

  /// Whether the installed flag is raised.
  package var isCancelled: Bool { cancellation.flag?.isRaised == true }

  /// Removes the flag and the progress handler.
  package func removeCancellation() {
    sqlite3_progress_handler(handle, 0, nil, nil)
    cancellation.flag = nil
  }
}

/// The number of frames in the log, which the log hook stores here; owned by the connection.
private final class LogProbe {
  var frames = 0
}

/// The state that the progress handler reads; owned by the connection, which outlives every
/// statement.
private final class CancellationProbe {
  var flag: CancellationFlag?
  var patience: Int?

  func stops() -> Bool {
    if let patience {
      if patience == 0 { return true }
      self.patience = patience - 1
    }
    return flag?.isRaised == true
  }
}
