internal import StrataSQLite

/// One read-only connection with an executor of its own.
///
/// While a ``Snapshot`` has it, a read transaction is open and every statement sees exactly one
/// commit.
actor Reader {
  private nonisolated let executor: StoreExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var connection: Connection?
  let model: Model
  let builder = RecordBuilder()

  /// What a pin sees.
  struct Pinned: Sendable, Equatable {
    let commit: Int64
    /// Changes when anybody changes the tables.
    let schemaVersion: Int64
  }

  /// `BEGIN` alone pins nothing; a statement that reads the file does, and what it reads is of the
  /// commit that was pinned.
  private static let begin = SQL("BEGIN")
  private static let readSchemaVersion = SQL("PRAGMA schema_version")
  private static let commitNumber = SQL("SELECT number FROM strata_commit")
  private static let end = SQL("COMMIT")

  /// Opens a connection; runs on the writer's executor.
  init(path: String, model: Model, busyTimeout: Duration) throws(SQLiteError) {
    executor = StoreExecutor("strata.reader")
    self.model = model
    connection = try Connection(path: path, access: .readOnly, busyTimeout: busyTimeout)
  }

  /// Pins the newest commit. Waits for the executor: only while idle.
  nonisolated func pinNow() throws(SQLiteError) -> Pinned {
    let result: Result<Pinned, SQLiteError> = executor.sync {
      assumeIsolated { reader in
        do throws(SQLiteError) { return .success(try reader.pin()) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  private func pin() throws(SQLiteError) -> Pinned {
    guard let connection else {
      throw SQLiteError(code: 21, message: "the reader is closed", sql: nil)
    }
    try connection.statement(for: Self.begin).run()
    let schemaVersion = try connection.integer(for: Self.readSchemaVersion) ?? 0
    let commit = try connection.integer(for: Self.commitNumber) ?? 0
    return Pinned(commit: commit, schemaVersion: schemaVersion)
  }

  /// Ends the read transaction and waits for that: only while idle.
  nonisolated func unpinNow() {
    executor.sync { assumeIsolated { $0.unpin() } }
  }

  private func unpin() {
    guard let connection, connection.isInTransaction else { return }
    try? connection.statement(for: Self.end).run()
  }

  /// Waits for everything enqueued so far.
  nonisolated func settle() { executor.sync {} }

  /// Ends the read transaction after everything enqueued so far, then calls `then`.
  nonisolated func unpin(then: @escaping @Sendable () -> Void) {
    executor.async {
      self.assumeIsolated { $0.unpin() }
      then()
    }
  }

  /// Closes the connection after everything enqueued so far, then calls `then`.
  nonisolated func close(then: @escaping @Sendable () -> Void) {
    executor.async {
      self.assumeIsolated { $0.connection = nil }
      then()
    }
  }

  /// Runs statements that stop when `flag` is raised.
  func read<R: Sendable>(
    _ flag: CancellationFlag,
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    guard let connection else { throw .closed }
    if flag.isRaised { throw .cancelled }
    connection.installCancellation(flag)
    defer { connection.removeCancellation() }
    return try body(self, connection)
  }
}
