internal import Foundation
internal import StrataSQLite

/// The only actor that writes to the store.
///
/// A transaction runs without suspending, on the writer's own serial executor, so no other work
/// interleaves. Work waits in a queue with lanes. Each part of the writer has one job and keeps its
/// state to itself: the file, the commit's number, the announcements, the view context's feed.
actor Writer {
  nonisolated let executor: StoreExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let queue: WriterQueue
  nonisolated let options: StoreOptions
  /// The migration that opening the store performed.
  nonisolated let migration: MigrationPlan
  nonisolated let identity: UUID
  nonisolated let checkpointer: Checkpointer
  nonisolated let mergeGate = MergeGate()
  let model: Model
  let pool: ReaderPool
  let publisher: ChangePublisher
  let builder = RecordBuilder()
  let file: OpenFile
  let counter: CommitCounter
  let announcer = Announcer()
  let merge: MergeFeed
  let log: LogKeeper
  private let newest: NewestCommit
  private var history: HistoryLog?
  /// Whether a look for foreign commits is due in a moment.
  private var looksAgain = false
  /// Whether an import has dropped indexes and has not made them again.
  private(set) var hasDeferredIndexes: Bool

  private static let begin = SQL("BEGIN IMMEDIATE")
  private static let end = SQL("COMMIT")
  static let rollback = SQL("ROLLBACK")
  private static let writeCommit = SQL("UPDATE strata_commit SET number = ?1")

  /// Opens or creates the store; runs on the new writer's own executor.
  private init(
    _ executor: StoreExecutor, _ options: StoreOptions, publisher: ChangePublisher,
    newest: NewestCommit
  ) throws(StoreError) {
    let connection: Connection
    do throws(StoreError) { connection = try options.firstConnection(.readWrite) } catch {
      throw error.at(options.path)
    }
    let opened: OpenedState
    do throws(StoreError) {
      (migration, opened) = try Self.prepare(connection, options)
      // The next process that opens the path must find the commits of this writer.
      if connection.hasMoved { throw .setAside }
    } catch {
      options.willClose(connection)
      throw error.at(options.path)
    }
    self.executor = executor
    self.options = options
    self.publisher = publisher
    self.newest = newest
    model = options.model
    queue = WriterQueue(executor)
    pool = ReaderPool(options)
    checkpointer = Checkpointer(options)
    log = LogKeeper(options)
    history = options.settings.history.map {
      HistoryLog($0, options.layout, now: options.settings.now)
    }
    identity = opened.identity
    file = OpenFile(connection, opened, options)
    counter = CommitCounter(opened)
    merge = MergeFeed(publisher, mergeGate)
    hasDeferredIndexes = opened.hasDeferredIndexes
    newest.set(opened.commit)
  }

  /// Creates or migrates the store, and reads its state.
  ///
  /// Another process may migrate the store in between, to the same schema or to another one.
  private static func prepare(
    _ connection: Connection, _ options: StoreOptions
  ) throws(StoreError) -> (MigrationPlan, OpenedState) {
    let plan = try StoreFormat.prepare(connection, options)
    do throws(StoreError) {
      return (plan, try OpenedState(connection, options, isNew: plan.storedVersion == nil))
    } catch {
      guard error.code == .schemaChanged else { throw error }
      let plan = try StoreFormat.prepare(connection, options)
      return (plan, try OpenedState(connection, options))
    }
  }

  static func open(
    _ options: StoreOptions, publisher: ChangePublisher, newest: NewestCommit
  ) async throws(StoreError) -> Writer {
    let executor = StoreExecutor("strata.writer")
    return try await executor.run { () throws(StoreError) in
      let writer = try Writer(executor, options, publisher: publisher, newest: newest)
      writer.pool.onLoss { [weak writer] in writer?.wakeMergeSoon() }
      writer.assumeIsolated { $0.beginSignalling() }
      return writer
    }
  }

  /// The number of the newest commit.
  var commit: Int64 { counter.number }

  // MARK: - Transactions

  /// The connection, opened again if it was lost.
  ///
  /// - Throws: `closed` if the store is closed or suspended, or the error of opening the file.
  var connection: Connection {
    get throws(StoreError) {
      if let connection = file.connection { return connection }
      guard file.isLost else { throw .closed }
      let connection = try reopenFile()
      options.log.note(.connectionReopened)
      return connection
    }
  }

  /// Runs `body` in a transaction, counts the commit and publishes its changes.
  ///
  /// Foreign commits are published first. If nothing is written, the commit has no number of its
  /// own.
  ///
  /// - Returns: the number of the commit, or of the newest commit, and the result of `body`.
  @discardableResult
  func transaction<Result>(
    author: String? = nil, _ body: (inout Transaction) throws(StoreError) -> Result
  ) throws(StoreError) -> (commit: Int64, result: Result) {
    if options.isReadOnly { throw .readOnlyStack }
    let connection = try connection
    try tieLog(connection)
    let start = options.log.start()
    var isAtEnd = false
    try connection.run(Self.begin)
    do throws(StoreError) {
      // An unchanged data version says that no other connection has committed rows or tables.
      if try !counter.isCurrent(connection) {
        try checkSchema(connection)
        // The commits of others are announced also if this transaction fails.
        defer { announcer.didPublish() }
        try noteForeignCommits(connection)
      }
      var transaction = Transaction(
        options.access(connection, builder), number: commit + 1,
        author: author ?? options.settings.author, hasDeferredIndexes: hasDeferredIndexes,
        bounds: options.settings.bounds, now: options.settings.now)
      let result = try body(&transaction)
      let changes = transaction.changes
      let isCounted = transaction.isCounted || !changes.isEmpty
      let number = isCounted ? transaction.number : commit
      if isCounted {
        try connection.run(Self.writeCommit, .integer(number))
        try history?.append(changes, number: number, author: transaction.author, connection)
      }
      let schema = transaction.hasNewSchema ? try file.newSchemaVersion(connection) : nil
      let mark = isCounted ? try noteTie(connection) : nil
      isAtEnd = true
      try connection.run(Self.end)
      if let mark { counter.didWrite(mark) }
      if let schema { file.didChangeSchema(to: schema) }
      hasDeferredIndexes = transaction.hasDeferredIndexes
      // Publishing may find that another process has committed since.
      if isCounted { didCommit(changes, number, by: transaction.author) }
      if let start { noteDuration(of: number, changes, since: start) }
      return (number, result)
    } catch {
      if isAtEnd {
        file.rollBack(connection)
      } else {
        file.rollBackUnit(connection, after: error)
      }
      history?.forget()
      options.log.noteFailure(error, StackEvent.commitFailed)
      throw error
    }
  }

  private func noteDuration(
    of number: Int64, _ changes: [TableID: TableChanges], since start: ContinuousClock.Instant
  ) {
    let duration = start.duration(to: .now)
    if duration < options.settings.slowCommit { return }
    let rows = changes.values.reduce(0) { $0 + $1.count }
    options.log.note(.slowCommit(commit: number, rows: rows, duration: duration))
  }

  /// Checks that no other program has changed the tables.
  ///
  /// - Throws: `schemaChanged`; the view context learns of it from a merge turn.
  func checkSchema(_ connection: Connection) throws(StoreError) {
    if try file.hasSameTables(connection) { return }
    didFindOtherTables()
    throw .schemaChanged
  }

  func didFindOtherTables() { if !merge.pull.isStuck { wakeMerge() } }

  private func didCommit(
    _ changes: [TableID: TableChanges], _ number: Int64, by author: String
  ) {
    publish(changes, number, by: author)
    counter.didCommit()
    announcer.didPublish()
    checkLog()
  }

  /// - Parameter author: the author of the commit; nil for a commit of another process.
  func publish(
    _ changes: [TableID: TableChanges], _ number: Int64, by author: String? = nil
  ) {
    counter.didPublish(number)
    newest.set(number)
    // A commit without changes reaches no subscriber, but tasks may wait for its number.
    if changes.isEmpty { merge.pull.wake() }
    publisher.publish(
      ChangeSet(commit: number, author: author, model: model, tables: changes))
  }

  // MARK: - Announcements

  /// Starts to announce commits to other processes, and looks for their commits at each signal.
  func beginSignalling() {
    guard options.settings.watchesOtherProcesses,
      announcer.begin(options.path, { [weak self] in self?.lookForForeignCommits() })
    else { return }
    // The watch does not report earlier commits.
    lookForForeignCommits()
  }

  /// Announces commits to the view context and to other processes, now or in a moment.
  func announce() {
    switch announcer.announce(hasWork: queue.hasWork) {
    case .nothing: break
    case .now: offerMergeStep()
    case .later:
      executor.async { [weak self] in
        self?.assumeIsolated { writer in
          writer.announcer.didWait()
          writer.announce()
        }
      }
    }
  }

  /// Looks for foreign commits soon.
  nonisolated func lookForForeignCommits() {
    executor.async { [weak self] in self?.assumeIsolated { $0.checkForeignCommits() } }
  }

  /// Looks for foreign commits a moment later.
  func retryLookingForForeignCommits() {
    if looksAgain { return }
    looksAgain = true
    afterMoment { writer in
      writer.looksAgain = false
      writer.checkForeignCommits()
    }
  }

  /// Runs `work` in a tenth of a second.
  ///
  /// Callers let only one try wait at a time, because a failure may repeat for every commit.
  func afterMoment(_ work: @escaping @Sendable (isolated Writer) -> Void) {
    executor.async(after: .milliseconds(100)) { [weak self] in self?.assumeIsolated(work) }
  }

  // MARK: - Snapshots

  /// Returns a snapshot of the newest commit.
  ///
  /// - Throws: `schemaChanged` if another program has changed the tables.
  func snapshot() throws(StoreError) -> Snapshot {
    // The schema version changes whenever another process makes an index. If the versions never
    // meet, the pool has opened another file.
    for _ in 0..<100 {
      do throws(StoreError) {
        return try pool.pin(schemaVersion: file.schemaVersion, of: file.id)
      } catch {
        guard let connection = file.isLost ? try connection : file.connection else { throw error }
        // A reader cannot be opened, or opens another file.
        try file.checkPlace(of: connection, counter.mark)
        guard error.code == .schemaChanged, try file.hasSameTables(connection) else { throw error }
      }
    }
    throw .schemaChanged
  }
}
