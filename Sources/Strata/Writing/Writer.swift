internal import Foundation
internal import StrataSQLite

/// The only thing that writes to the store.
///
/// A whole transaction runs without suspending, on a serial executor of its own, so nothing can
/// interleave. Work waits in an explicit queue with lanes.
actor Writer {
  nonisolated let executor: StoreExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let queue: WriterQueue
  let model: Model
  let pool: ReaderPool
  let publisher: ChangePublisher
  let newest: NewestCommit
  let builder = RecordBuilder()
  nonisolated let historyLayout: HistoryLayout
  nonisolated let identity: UUID
  let author: String
  private var history: HistoryLog?
  /// Nil while nobody watches: closed, suspended, or not asked for.
  private var signal: CommitSignal?
  /// Something was committed that the view context and other processes have not been told of.
  private var owesAnnouncement = false
  private var isAnnouncementQueued = false
  private var lastAnnouncement = ContinuousClock.now
  private static let restBetweenTurns = Duration.milliseconds(1)

  nonisolated let options: StoreOptions

  /// Nil once closed, while suspended, and after a transaction that could not be ended.
  var openConnection: Connection?
  /// Whether the next unit opens the file again.
  var hasLostConnection = false
  private(set) var schemaVersion: Int64 = 0
  /// Whether the open transaction has made or dropped an index.
  var hasNewSchema = false
  /// Whether this writer has put off indexes and not made them yet.
  var defersIndexes = false
  /// Tells whether another version has other tables.
  private let tablesHash: Int
  /// Changes when anybody else commits, also without counting the commit.
  var dataVersion: Int64 = 0
  /// The files as the suspension left them.
  var suspendedFile: FileState?
  /// Whether it looks for commits of other processes in a moment.
  private var looksAgain = false
  /// The commit's number when `dataVersion` was read.
  var countedCommit: Int64 = 0
  var checkpoints: CheckpointRule
  var logGrowth: LogGrowth
  nonisolated let checkpointer: Checkpointer
  let logPatience: Duration
  private(set) var commit: Int64 = 0
  var merge = MergePull<UnsafeContinuation<MergeStep?, Never>>()
  /// What of the log the view context has not merged.
  var mergeCursor: ChangeLog.Cursor?
  /// The snapshot of the newest merge step.
  weak var mergedSnapshot: Snapshot?

  private static let begin = SQL("BEGIN IMMEDIATE")
  private static let end = SQL("COMMIT")
  static let rollback = SQL("ROLLBACK")
  private static let readSchemaVersion = SQL("PRAGMA schema_version")
  static let readDataVersion = SQL("PRAGMA data_version")
  private static let writeCommit = SQL("UPDATE strata_commit SET number = ?1")

  /// Opens or creates the store; runs on the new writer's own executor.
  private init(
    _ executor: StoreExecutor, _ options: StoreOptions, publisher: ChangePublisher,
    newest: NewestCommit
  ) throws(StoreError) {
    let connection: Connection
    do throws(SQLiteError) {
      connection = try options.connection(.readWrite)
    } catch {
      throw StoreError(error, path: options.path)
    }
    do throws(StoreError) {
      try StoreFormat.prepare(
        connection, model: options.model, schemaVersion: options.schemaVersion,
        migration: options.migration, log: options.log)
      // What is saved must be found by whoever opens the path next.
      if connection.hasMoved { throw .setAside }
    } catch {
      throw error.at(options.path)
    }
    let limit = options.logLimit / 4096
    self.executor = executor
    queue = WriterQueue(executor)
    self.options = options
    model = options.model
    pool = ReaderPool(
      path: options.path, model: options.model, busyTimeout: options.busyTimeout,
      bounds: options.bounds, repeatedReads: options.repeatedReads, observers: options.observers,
      log: options.log)
    self.publisher = publisher
    self.newest = newest
    checkpoints = CheckpointRule(limit: max(1, limit))
    logGrowth = LogGrowth(limit: max(1, limit))
    checkpointer = Checkpointer(options)
    logPatience = options.logPatience
    author = options.author
    historyLayout = HistoryLayout(options.model)
    history = options.history.map { [historyLayout] in
      HistoryLog($0, historyLayout, now: options.now)
    }
    let state = try OpenedState(connection, options)
    (identity, tablesHash, defersIndexes) = (state.identity, state.tablesHash, state.owesIndexes)
    (schemaVersion, dataVersion) = (state.schemaVersion, state.dataVersion)
    commit = state.commit
    countedCommit = commit
    newest.set(commit)
    openConnection = connection
  }

  static func open(
    _ options: StoreOptions, publisher: ChangePublisher, newest: NewestCommit
  ) async throws(StoreError) -> Writer {
    let executor = StoreExecutor("strata.writer")
    let opened = Promise<Writer>()
    executor.async {
      do throws(StoreError) {
        let writer = try Writer(executor, options, publisher: publisher, newest: newest)
        writer.assumeIsolated { $0.beginSignalling() }
        opened.resolve(.success(writer))
      } catch {
        opened.resolve(.failure(error))
      }
    }
    return try await opened.value
  }

  /// Tells others of commits from now on, and looks for theirs whenever their signal comes.
  func beginSignalling() {
    guard options.watchesOtherProcesses, let signal = CommitSignal(store: options.path),
      signal.start({ [weak self] in self?.lookForForeignCommits() })
    else { return }
    self.signal = signal
    // What was committed before the watch began.
    lookForForeignCommits()
  }

  func endSignalling() {
    signal?.stop()
    signal = nil
  }

  /// Tells the view context and other processes of what was committed; after the reply, which need
  /// not wait for it.
  ///
  /// In a row of short commits they are told every ``restBetweenTurns`` only: waking them costs as
  /// much as a commit.
  func announce() {
    guard owesAnnouncement else { return }
    if queue.hasWork, lastAnnouncement.duration(to: .now) < Self.restBetweenTurns {
      if isAnnouncementQueued { return }
      isAnnouncementQueued = true
      executor.async { [weak self] in
        self?.assumeIsolated { writer in
          writer.isAnnouncementQueued = false
          writer.announce()
        }
      }
      return
    }
    owesAnnouncement = false
    lastAnnouncement = .now
    signal?.post()
    answerMergePull()
  }

  // MARK: - Transactions

  var connection: Connection {
    get throws(StoreError) {
      if let openConnection { return openConnection }
      guard hasLostConnection else { throw .closed }
      let connection = try reopenConnection()
      (openConnection, hasLostConnection) = (connection, false)
      options.log.note(.connectionReopened)
      return connection
    }
  }

  /// Runs `body` in a transaction, counts the commit and publishes what `body` says it changed.
  ///
  /// - Parameter isCounted: whether more is written than `body` says: a commit that is not counted
  ///   would be taken for one of another program.
  func transaction(
    author: String? = nil, isCounted: Bool = false,
    _ body: (Connection) throws(StoreError) -> [TableID: TableChanges]
  ) throws(StoreError) -> (commit: Int64, changes: [TableID: TableChanges]) {
    let connection = try connection
    let start = options.log.start()
    let deferredIndexes = defersIndexes
    try translatingErrors { () throws(SQLiteError) in
      try connection.statement(for: Self.begin).run()
    }
    do throws(StoreError) {
      // Unchanged, it says that nobody else has committed anything, tables included.
      if try storedDataVersion(connection) != dataVersion {
        try checkSchema(connection)
        if try noteForeignCommits(connection) { answerMergePull() }
      }
      let changes = try body(connection)
      try translatingErrors { () throws(SQLiteError) in
        if isCounted || !changes.isEmpty {
          let number = try connection.statement(for: Self.writeCommit)
          number.bind(1, commit + 1)
          try number.run()
          try history?.append(
            changes, number: commit + 1, author: author ?? self.author, connection)
        }
        // After the commit it may be another program's.
        let newSchema = hasNewSchema ? try connection.integer(for: Self.readSchemaVersion) : nil
        try connection.statement(for: Self.end).run()
        schemaVersion = newSchema ?? schemaVersion
        hasNewSchema = false
      }
      // Telling others may find that another process has committed since.
      let isCounted = isCounted || !changes.isEmpty
      let number = isCounted ? commit + 1 : commit
      if isCounted { didCommit(changes) }
      if let start { noteDuration(of: number, changes, since: start) }
      return (number, changes)
    } catch {
      rollBack(connection)
      history?.forget()
      hasNewSchema = false
      defersIndexes = deferredIndexes
      options.log.noteFailure(error, StackEvent.commitFailed)
      throw error
    }
  }

  /// Ends the transaction, if one is open, and leaves nothing of it.
  ///
  /// Even a rollback can fail. Whatever came next would then be written in the failed transaction,
  /// and the lock kept: so the file is closed, which rolls back, too, and opened again by the next
  /// unit.
  func rollBack(_ connection: Connection) {
    guard connection.isInTransaction else { return }
    try? connection.statement(for: Self.rollback).run()
    guard connection.isInTransaction else { return }
    openConnection = nil
    // What others commit until then is not noticed by this connection.
    suspendedFile = nil
    hasLostConnection = true
    options.log.note(.connectionClosed)
  }

  private func noteDuration(
    of number: Int64, _ changes: [TableID: TableChanges], since start: ContinuousClock.Instant
  ) {
    let duration = start.duration(to: .now)
    if duration < options.log.slowCommit { return }
    let rows = changes.values.reduce(0) { $0 + $1.count }
    options.log.note(.slowCommit(commit: number, rows: rows, duration: duration))
  }

  func checkSchema(_ connection: Connection) throws(StoreError) {
    if try hasSameTables(connection) { return }
    // The view context and its live queries learn of it from a turn.
    if !merge.isStuck { wakeMerge() }
    throw .schemaChanged
  }

  /// Whether the tables are those that were opened.
  ///
  /// An import of another process may have made their indexes anew: that counts as a change of the
  /// schema for SQLite, and every statement compiles itself again, but it is none.
  private func hasSameTables(_ connection: Connection) throws(StoreError) -> Bool {
    let version = try translatingErrors { () throws(SQLiteError) in
      try connection.integer(for: Self.readSchemaVersion) ?? 0
    }
    if version == schemaVersion { return true }
    guard try StoreFormat.tablesHash(connection) == tablesHash,
      try StoreFormat.isDescribed(connection, by: options)
    else { return false }
    schemaVersion = version
    return true
  }

  func storedCommit(_ connection: Connection) throws(StoreError) -> Int64 {
    try translatingErrors { () throws(SQLiteError) in
      try StoredCommit.read(connection)
    }
  }

  func storedDataVersion(_ connection: Connection) throws(StoreError) -> Int64 {
    try translatingErrors { () throws(SQLiteError) in
      try connection.integer(for: Self.readDataVersion) ?? 0
    }
  }

  /// Publishes commits of which nobody knows what they changed.
  func publishReset(upTo number: Int64) { publish(model.resetOfEveryTable, number) }

  private func didCommit(_ changes: [TableID: TableChanges]) {
    publish(changes, commit + 1)
    countedCommit = commit
    owesAnnouncement = true
    checkLog()
  }

  func publish(_ changes: [TableID: TableChanges], _ number: Int64) {
    commit = number
    newest.set(number)
    // Nobody is told of a commit without changes, but whoever waits for its number is let go.
    if changes.isEmpty { merge.wake() }
    publisher.publish(ChangeSet(commit: number, model: model, tables: changes))
  }

  // MARK: - Later

  /// Answers the view context a moment later.
  func retryMergePull() {
    guard merge.didFail() else { return }
    afterMoment { writer in
      writer.merge.retries()
      writer.answerMergePull()
    }
  }

  /// Looks for commits of other processes, soon.
  nonisolated func lookForForeignCommits() {
    executor.async { [weak self] in self?.assumeIsolated { $0.checkForeignCommits() } }
  }

  /// Looks for commits of other processes a moment later.
  func retryLookingForForeignCommits() {
    if looksAgain { return }
    looksAgain = true
    afterMoment { writer in
      writer.looksAgain = false
      writer.checkForeignCommits()
    }
  }

  /// What cannot be done now is tried again. One try waits at a time, however many ask for it: what
  /// fails may fail for every commit.
  private func afterMoment(_ work: @escaping @Sendable (isolated Writer) -> Void) {
    executor.async(after: .milliseconds(100)) { [weak self] in self?.assumeIsolated(work) }
  }

  // MARK: - Snapshots

  /// A snapshot of the newest commit.
  ///
  /// - Throws: `schemaChanged` if another program has changed the tables.
  func snapshot() throws(StoreError) -> Snapshot {
    // Another process may make one index after the other. Tables that are never those of the pin
    // are in another file.
    for _ in 0..<100 {
      do throws(StoreError) { return try pool.pin(schemaVersion: schemaVersion) } catch {
        guard error.code == .schemaChanged, let openConnection, try hasSameTables(openConnection)
        else { throw error }
      }
    }
    throw .schemaChanged
  }

  // MARK: - Closing

  /// Refuses new work, lets queued work finish, then closes the connection.
  nonisolated func close() async {
    queue.close()
    // Every queued unit has a ticket in front of this one.
    await afterQueuedWork { $0.endMergePull() }
    await pool.close()
    await checkpointer.close()
    await afterQueuedWork { writer in
      _ = try? writer.openConnection?.checkpointPassively()
      (writer.openConnection, writer.hasLostConnection) = (nil, false)
      writer.endSignalling()
    }
  }
}

extension StoreError {
  fileprivate func at(_ path: String) -> StoreError {
    var copy = StoreError(
      code, "\(message) (\(path))", advice: advice, entity: entity, attributes: attributes,
      keys: keys)
    copy.sqliteCode = sqliteCode
    copy.sql = sql
    return copy
  }
}
