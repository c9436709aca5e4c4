public import Foundation
internal import StrataSQLite

/// A store, its writer, and the contexts over it: what an app opens once.
///
/// ```swift
/// let stack = try await Stack.open(Song.self, Artist.self, at: url)
/// try await stack.withScratch { $0.insert(Song(title: "So What", bpm: 136)) }
/// let songs = try await stack.view.fetch(Song.sorted(by: \.title))
/// ```
public final class Stack: Sendable {
  /// When a commit is on the disk.
  public enum Synchronous: Sendable {
    /// A commit survives a crash of the program; a power loss may undo the newest commits, never
    /// part of one.
    case normal
    /// A commit survives a power loss. Every commit waits for the disk.
    case full
  }

  /// How a stack is opened.
  public struct Options: Sendable {
    /// When a commit is on the disk.
    public var synchronous = Synchronous.normal
    /// How long to wait for another process that has the store locked.
    public var busyTimeout = Duration.seconds(5)
    /// The version of the schema. A store with a newer one is refused.
    public var schemaVersion = 1
    /// Custom steps to the versions up to ``schemaVersion``; see ``MigrationStep``.
    public var migrations: [MigrationStep] = []
    /// Tables of earlier versions that are gone for good: they are dropped with their rows.
    public var removedTables: Set<String> = []
    /// Told of a migration's progress on the writer's executor, at most every 1,000 rows.
    public var migrationProgress: (@Sendable (MigrationProgress) -> Void)?
    /// How long the write-ahead log should grow, in bytes: past half of that it is written back
    /// beside the writer, and past all of it commits wait for that.
    public var logLimit = 16 * 1024 * 1024
    /// How much history is kept of what this stack commits; nil for none. See
    /// ``Stack/history(since:)``.
    ///
    /// With a history, other processes and this one tell each other exactly what they change;
    /// without, they read the tables again.
    public var history: HistoryOptions?
    /// Who commits, as the history says it, unless a context has an author of its own.
    public var author = ProcessInfo.processInfo.processName
    /// Whether commits of other processes are noticed as they are made, and theirs are told of
    /// ours.
    ///
    /// Takes a file `<store>-notify` and some 2 µs a commit. Without it, others' commits are
    /// noticed with this stack's own next commit or pinned snapshot.
    public var watchesOtherProcesses = true
    /// How long commits may wait for the log to be started again; tests, which share the main actor
    /// with other tests, give it all the time it needs.
    var logPatience = CheckpointRule.patience
    /// How much is kept of what somebody has not taken yet; stress runs give little.
    package var bounds = StoreBounds()
    /// What opening does with a store that cannot be read.
    public var ifUnreadable = UnreadableStore.fail
    /// Whether reads that are repeated with other values are noted, for ``Stack/repeatedReads``: on
    /// in debug builds, as it costs a read up to a microsecond.
    public var notesRepeatedReads = Self.isDebugging
    /// How long after another a read is still of the same loop; tests give it all the time it
    /// needs.
    var repeatedReadPause = RepeatedReads.pause
    /// Told of every statement that ends, on the thread that ran it, which waits for it: keep it
    /// short, and do not call the stack. Nil, as usual, costs nothing.
    public var trace: (@Sendable (TracedStatement) -> Void)?
    /// Whether statements are counted and timed, for ``Stack/diagnostics(statements:)``.
    ///
    /// Off, it costs nothing. On, a statement costs two looks at the clock, a copy of its text and
    /// a lock more, and a row that it returns one call; as many as 512 texts are kept.
    public var notesStatements = false
    /// Told of what who maintains an app wants to find in a log: where the stack does something, on
    /// its own threads, which wait for it. Nil, as usual, costs nothing.
    ///
    /// Keep it short, and do not call the stack.
    public var log: (@Sendable (StackEvent) -> Void)?
    /// From when on ``log`` is told that a commit was slow: others wait for the writer as long.
    public var slowCommit = Duration.milliseconds(250)
    /// What time it is: for freshness, eviction and history. Tests give another clock.
    public var now: @Sendable () -> Date = { Date() }

    /// The usual options.
    public init() {}

    private static var isDebugging: Bool {
      #if DEBUG
        true
      #else
        false
      #endif
    }
  }

  /// The main actor's context.
  @MainActor public let view: ViewContext
  /// The store that could not be read when this stack was opened, and had to make room; nil if it
  /// could. See ``UnreadableStore/rebuild(keeping:probe:includesNewer:)``.
  public let setAside: SetAsideStore?
  package let store: Store
  private let maintainer: Maintainer
  private let temporaryFolder: TemporaryFolder?
  /// What opening this stack did to bring the store to today's schema.
  public let migration: MigrationPlan

  // MARK: - Opening

  /// Opens the store at `url`, or creates it; its folder must exist.
  ///
  /// A store that cannot be read makes room for a new one if ``Options/ifUnreadable`` says so, and
  /// ``setAside`` tells of it.
  ///
  /// A store of an earlier schema is migrated in one transaction first: see <doc:Migrations>.
  /// Cancelling the task does not stop that: the stack is opened all the same.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `notADatabase`, `cannotOpen`,
  ///   `newerStore`, `schemaMismatch`, `migrationFailed`, `uniquenessViolated` or
  ///   `missingReference` (of rows that a migration meets), `busy`, `diskFull` or one of SQLite's.
  public static func open(
    _ entities: any Entity.Type..., at url: URL, options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await open(entities, at: url, options: options)
  }

  /// Opens the store at `url` with a list of entities.
  ///
  /// - Throws: ``StoreError``, as for entities that are listed one by one.
  public static func open(
    _ entities: [any Entity.Type], at url: URL, options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await open(entities, path: url.path, options, temporaryFolder: nil)
  }

  /// A new, empty store in a folder of its own that is removed when the stack closes.
  ///
  /// A real file: what runs in a test is what ships.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `cannotOpen`, `diskFull` or one of
  ///   SQLite's.
  public static func temporary(
    _ entities: any Entity.Type..., options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await temporary(entities, options: options)
  }

  /// A new, empty store for a list of entities, removed when the stack closes.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `cannotOpen`, `diskFull` or one of
  ///   SQLite's.
  public static func temporary(
    _ entities: [any Entity.Type], options: Options = Options()
  ) async throws(StoreError) -> Stack {
    let folder = try TemporaryFolder()
    do throws(StoreError) {
      return try await open(
        entities, path: folder.path + "/store.sqlite", options, temporaryFolder: folder)
    } catch {
      folder.remove()
      throw error
    }
  }

  static func open(
    _ entities: [any Entity.Type], path: String, _ options: Options,
    temporaryFolder: TemporaryFolder?
  ) async throws(StoreError) -> Stack {
    let start = ContinuousClock.now
    let model = try Model(entities)
    let performed = Lock(MigrationPlan(from: nil, to: options.schemaVersion))
    var migration = options.migration
    migration.performed = { plan in performed.withLock { $0 = plan } }
    let (store, setAside) = try await Store.open(
      StoreOptions(
        path: path, model: model, synchronous: options.synchronous == .full ? .full : .normal,
        busyTimeout: options.busyTimeout, schemaVersion: options.schemaVersion,
        migration: migration, logLimit: options.logLimit, logPatience: options.logPatience,
        bounds: options.bounds, history: options.history, author: options.author,
        watchesOtherProcesses: options.watchesOtherProcesses,
        repeatedReads: options.notesRepeatedReads
          ? RepeatedReads(pause: options.repeatedReadPause) : nil,
        observers: StatementObservers(
          trace: options.trace, ledger: options.notesStatements ? StatementLedger() : nil),
        log: EventLog(tell: options.log, slowCommit: options.slowCommit), now: options.now),
      ifUnreadable: options.ifUnreadable)
    do throws(StoreError) {
      let snapshot = try await store.writer.submit(.urgent) { writer throws(StoreError) in
        try writer.beginMerging()
      }
      let maintainer = Maintainer(options.bounds)
      await maintainer.begin(snapshot)
      let view = await ViewContext(store, maintainer, snapshot)
      store.attach { [weak view] in await view?.keysInUse ?? [:] }
      let stack = await Stack(
        store, maintainer, view, temporaryFolder, setAside, performed.withLock { $0 })
      MergeLoop.start(store.writer, maintainer, view)
      if let setAside { options.log?(.setAside(setAside)) }
      options.log?(.opened(commit: snapshot.commit, duration: start.duration(to: .now)))
      return stack
    } catch {
      await store.close()
      throw error
    }
  }

  @MainActor
  private init(
    _ store: Store, _ maintainer: Maintainer, _ view: ViewContext,
    _ temporaryFolder: TemporaryFolder?, _ setAside: SetAsideStore?, _ migration: MigrationPlan
  ) {
    self.store = store
    self.maintainer = maintainer
    self.view = view
    self.temporaryFolder = temporaryFolder
    self.setAside = setAside
    self.migration = migration
  }

  deinit {
    // Without a call of `close`, whatever still runs is finished in the background.
    // Who still holds the view context or a live query is told that it is over.
    Task { [store, view, temporaryFolder] in
      await store.close()
      await view.close()
      temporaryFolder?.remove()
    }
  }

  /// Closes the stack: finishes what was saved, stops fetches, ends streams, closes the file.
  ///
  /// Afterwards what needs the store throws `closed`; what is in memory stays readable, and edits
  /// that were not saved never can be. Closing twice is allowed: every call returns when the stack
  /// is closed. A stack that nobody holds any more closes itself, whoever holds its view context.
  public func close() async {
    await store.close()
    await view.close()
    temporaryFolder?.remove()
  }

  // MARK: - Suspending

  /// Whether the stack is suspended: no connection is open.
  public var isSuspended: Bool { store.isSuspended }

  /// Lets go of the store's file, for an app that goes to the background.
  ///
  /// Saves and imports' batches that are queued are committed; fetches that run are stopped, and
  /// run again by themselves after ``resume()``. When this returns, no file of the store is open
  /// and none is locked. What is in memory goes on working: live queries, edits, `rollback`.
  /// Fetches, saves and merges that are asked for meanwhile wait for the resumption, and end with
  /// `cancelled` or `closed` if the task is cancelled or the stack is closed first; so does a save
  /// that was committed, but not yet merged into the view context.
  ///
  /// Suspending a suspended or closed stack does nothing. Calls of `suspend`, `resume` and
  /// ``close()`` take effect one after the other.
  public func suspend() async { await store.suspend() }

  /// Opens the store's file again, and returns when the view context shows what it has now.
  ///
  /// What other processes committed meanwhile is announced like any other commit; edits are laid on
  /// top, and conflicts noted. A scratch context that had read something reads the newest state
  /// from now on, as after `refresh()`. Resuming a stack that is not suspended does nothing.
  ///
  /// - Throws: ``StoreError`` with code `cannotOpen`, `busy`, `notADatabase`, `schemaChanged`,
  ///   `replaced` or one of SQLite's: the stack is still suspended, everything goes on waiting, and
  ///   resuming may be tried again. With code `closed` if the stack is closed, and `cancelled` if
  ///   the task was cancelled before the view context was there: the stack is resumed then.
  public func resume() async throws(StoreError) {
    try await store.resume()
    try await view.pinned()
  }

  // MARK: - Working

  /// Every commit from now on, as it is committed.
  ///
  /// The view context shows a commit a moment later; `view.merged(changes.commit)` waits for it.
  public var changes: ChangeStream<ChangeSet> {
    ChangeStream(store.publisher.subscribe(to: nil)) { $0 }
  }

  /// A scratch context whose saves go to the store.
  public func scratch() -> sending ScratchContext { ScratchContext(store) }

  /// Lends a scratch context to `body`, saves it, and returns when the view context shows the save.
  ///
  /// `body` runs where the caller runs. If it throws, nothing is saved. If this throws, neither is
  /// it; a stack that is closed once the save was committed only ends the wait.
  ///
  /// - Throws: what `body` throws; ``StoreError`` as ``ScratchContext/save(_:)`` does.
  @discardableResult
  public nonisolated(nonsending) func withScratch<R>(
    _ body: nonisolated(nonsending) (ScratchContext) async throws -> R
  ) async throws -> R {
    let scratch = ScratchContext(store)
    defer { scratch.end() }
    let result = try await body(scratch)
    let commit = try await scratch.save()
    await view.mergedOwn(commit)
    return result
  }
}

extension Stack {
  /// What the stack is busy with: imports, saves, and live queries that read.
  @MainActor public var activity: ActivityMonitor { view.activity }
}
