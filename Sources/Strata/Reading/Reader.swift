internal import StrataSQLite

/// A read-only connection with an executor of its own.
///
/// While a ``Snapshot`` has the reader, a read transaction is open, and every statement sees
/// exactly one commit.
actor Reader {
  private nonisolated let executor: StoreExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var connection: Connection?
  /// The matchers for the full text of edits, by the statement that creates the store's index.
  private var matchers: [String: TextMatcher] = [:]
  let model: Model
  let builder = RecordBuilder()
  private let layout: HistoryLayout
  private let repeatedReads: RepeatedReads?
  /// The statements of the cursors that are not at their end.
  private(set) var cursors: [CursorID: Statement] = [:]

  /// The state that a pin sees.
  struct Pinned: Sendable, Equatable {
    let commit: Int64
    /// SQLite's version of the schema, which changes with every change of the tables.
    let schemaVersion: Int64
  }

  /// The statement that begins a read transaction.
  ///
  /// `BEGIN` alone pins nothing. The first statement that reads the file pins the commit that it
  /// reads.
  private static let begin = SQL("BEGIN")
  private static let readSchemaVersion = SQL("PRAGMA schema_version")
  private static let end = SQL("COMMIT")

  /// Opens a connection to the writer's file; runs on the writer's executor.
  init(_ options: StoreOptions, of file: FileStatus.ID?) throws(StoreError) {
    executor = StoreExecutor("strata.reader")
    model = options.model
    layout = options.layout
    repeatedReads = options.repeatedReads
    connection = try options.connection(.readOnly, of: file)
  }

  /// Returns the access to the rows of the pinned commit.
  func access(_ connection: Connection) -> StoreAccess {
    StoreAccess(connection: connection, model: model, builder: builder, layout: layout)
  }

  /// Pins the newest commit, and waits for the executor; called only while the reader is idle.
  nonisolated func pinNow() throws(StoreError) -> Pinned {
    try executor.sync { assumeIsolated { $0.pinned() } }.get()
  }

  private func pinned() -> Result<Pinned, StoreError> {
    do throws(StoreError) { return .success(try pin()) } catch { return .failure(error) }
  }

  private func pin() throws(StoreError) -> Pinned {
    guard let connection else {
      throw StoreError(SQLiteError(code: 21, message: "the reader is closed", sql: nil))
    }
    try connection.run(Self.begin)
    let schemaVersion = try connection.prepared(Self.readSchemaVersion).firstInteger() ?? 0
    return Pinned(commit: try StoredCommit.read(connection), schemaVersion: schemaVersion)
  }

  /// Pins the newest commit on the calling thread, without waiting for locks; nil if the reader is
  /// not idle.
  nonisolated func pinIfIdle() -> Result<Pinned, StoreError>? {
    executor.runIfIdle {
      assumeIsolated { reader in
        reader.connection?.setWaitsForLocks(false)
        defer { reader.connection?.setWaitsForLocks(true) }
        return reader.pinned()
      }
    }
  }

  private func unpin() {
    // A transaction ends only when no statement runs. Otherwise it would silently stay open with
    // its pin.
    cursors.removeAll()
    guard let connection, connection.isInTransaction else { return }
    try? connection.run(Self.end)
  }

  /// Waits until all work that is enqueued so far has run.
  nonisolated func waitForWork() { executor.sync {} }

  /// Ends the read transaction after all work that is enqueued so far, then calls `then`.
  nonisolated func unpin(then: @escaping @Sendable () -> Void) {
    executor.async {
      self.assumeIsolated { $0.unpin() }
      then()
    }
  }

  /// Ends the read transaction on the calling thread; returns false if the reader is not idle.
  nonisolated func unpinIfIdle() -> Bool {
    executor.runIfIdle { assumeIsolated { $0.unpin() } } != nil
  }

  /// Closes the connection after all work that is enqueued so far, then calls `then`.
  nonisolated func close(then: @escaping @Sendable () -> Void) {
    executor.async {
      self.assumeIsolated { reader in
        reader.cursors.removeAll()
        reader.connection = nil
      }
      then()
    }
  }

  /// Returns the cached statement for a program's query, and notes a query with parameters.
  func prepared(
    _ sql: SQLBuilder, of table: Table, _ connection: Connection
  ) throws(StoreError) -> Statement {
    if !sql.parameters.isEmpty {
      repeatedReads?.note(.query(sql.text), sql.parameters, of: table)
    }
    return try connection.prepared(sql, model)
  }

  /// Notes that a single entity is read by its key.
  func noteFinding(_ key: RecordKey, in table: Table) {
    repeatedReads?.note(.key(table.id), [key.cell], of: table)
  }

  // MARK: Cursors

  /// Compiles the statement of a cursor, which is read in several turns.
  ///
  /// A cursor does not use a cached statement, because the next fetch of the same shape would begin
  /// it anew.
  func openCursor(
    _ id: CursorID, _ sql: SQLBuilder, _ connection: Connection
  ) throws(StoreError) {
    let statement = try connection.prepared(sql.text)
    statement.bind(sql.parameters)
    cursors[id] = statement
  }

  /// Returns the statement of a cursor; nil at its end.
  func cursor(_ id: CursorID) -> Statement? { cursors[id] }

  func closeCursor(_ id: CursorID) { cursors[id] = nil }

  /// Closes a cursor after all work that is enqueued so far.
  nonisolated func closeCursorLater(_ id: CursorID) {
    executor.async { self.assumeIsolated { $0.closeCursor(id) } }
  }

  // MARK: Full text

  /// Returns a matcher that searches records as an index of the store does.
  func matcher(of index: TableSearch.Text) throws(StoreError) -> TextMatcher {
    if let known = matchers[index.index.create] { return known }
    let matcher = try TextMatcher(index)
    matchers[index.index.create] = matcher
    return matcher
  }

  /// Runs `body` after all work that is enqueued so far, then calls `then`.
  ///
  /// Withdrawing it does not wait for the work before it.
  ///
  /// - Parameter isAwaited: whether also a withdrawn body has ended when the result is there.
  nonisolated func enqueue<R: Sendable>(
    _ flag: CancellationFlag, isAwaited: Bool = false,
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R,
    then: @escaping @Sendable () -> Void
  ) -> Submission<R> {
    let promise = Promise<Result<R, StoreError>>()
    executor.async {
      self.assumeIsolated { $0.result(flag, body) }
    } then: {
      then()
      promise.resolve($0)
    }
    return Submission(promise: promise) {
      flag.raise()
      if !isAwaited { promise.resolve(.failure(.cancelled)) }
    }
  }

  private func result<R: Sendable>(
    _ flag: CancellationFlag, patience: Int? = nil,
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) -> Result<R, StoreError> {
    do throws(StoreError) { return .success(try read(flag, patience: patience, body)) } catch {
      return .failure(error)
    }
  }

  /// Runs statements, which stop when `flag` is raised or when their patience runs out.
  private func read<R: Sendable>(
    _ flag: CancellationFlag, patience: Int?,
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let connection else { throw .closed }
    if flag.isRaised { throw .cancelled }
    connection.installCancellation(flag, patience: patience)
    defer { connection.removeCancellation() }
    return try body(self, connection)
  }

  /// The limit of a read on a thread that is not the reader's, in thousands of instructions.
  ///
  /// SQLite's virtual machine runs so many instructions in some tenths of a millisecond.
  private static let patience = 10

  /// Runs statements on the calling thread; nil if the reader is not idle.
  nonisolated func readIfIdle<R: Sendable>(
    _ flag: CancellationFlag,
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) -> Result<R, StoreError>? {
    executor.runIfIdle { assumeIsolated { $0.result(flag, patience: Self.patience, body) } }
  }
}
