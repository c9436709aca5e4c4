public import Foundation
internal import StrataSQLite

/// An open store with its contexts, which an app opens once.
///
/// ```swift
/// let stack = try await Stack.open(Song.self, Artist.self, at: url)
/// try await stack.withScratch { $0.insert(Song(title: "So What", bpm: 136)) }
/// let songs = try await stack.viewContext.fetch(Song.sorted(by: \.title))
/// ```
public final class Stack: Sendable {
  /// The options with which a stack is opened.
  public typealias Options = StackOptions
  /// When a commit reaches the disk.
  public typealias Synchronous = StackOptions.Synchronous
  /// The work that a stack may do with its store.
  public typealias Access = StackOptions.Access

  /// The main actor's context.
  ///
  /// - Precondition: the stack has a view context (``StackOptions/hasViewContext``).
  @MainActor public var viewContext: ViewContext {
    guard let attachedView else {
      fatalError("this stack has no view context; open it with Stack.Options.hasViewContext = true")
    }
    return attachedView
  }

  /// The work in progress: imports, saves, and live queries that read.
  @MainActor public var activity: ActivityMonitor {
    let monitor = activityMonitor ?? ActivityMonitor(store.activity)
    activityMonitor = monitor
    return monitor
  }

  @MainActor private var activityMonitor: ActivityMonitor?
  /// The store that opening this stack set aside because it could not be read; nil if there was
  /// none.
  ///
  /// See ``UnreadableStore/rebuild(keeping:probe:includesNewer:)``.
  public let setAside: SetAsideStore?
  package let store: Store
  let attachedView: ViewContext?
  private let temporaryFolder: TemporaryFolder?
  /// The migration that opening this stack performed to bring the store to the current schema.
  public let migration: MigrationPlan

  // MARK: - Opening

  /// Opens the store at `url`, or creates it; its folder must exist.
  ///
  /// A URL that is not the URL of a file is refused with `cannotOpen`.
  ///
  /// If ``StackOptions/ifUnreadable`` says so, a store that cannot be read is set aside for a new store.
  /// ``setAside`` then describes it.
  ///
  /// A store of an earlier schema is first migrated in one transaction: see <doc:Migrations>.
  /// Cancelling the task does not stop the migration, and the stack is opened all the same.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `notADatabase`, `cannotOpen`,
  ///   `newerStore`, `schemaMismatch`, `migrationFailed`, `uniquenessViolated` or
  ///   `missingReference` (of rows that a migration meets), `busy`, `diskFull` or one of SQLite's.
  public static func open(
    _ entities: any Entity.Type..., at url: URL, options: Options = Options()
  ) async throws -> Stack {
    try await open(entities, at: url, options: options)
  }

  /// Opens the store at `url` with a list of entities.
  ///
  /// - Throws: ``StoreError``, as for entities that are listed one by one.
  public static func open(
    _ entities: [any Entity.Type], at url: URL, options: Options = Options()
  ) async throws -> Stack {
    try await open(entities, path: url.storePath, options, temporaryFolder: nil)
  }

  /// Creates a stack over a new, empty store in a folder of its own.
  ///
  /// The store is a real file: a test runs the same code as a shipped app. Closing the stack
  /// removes the folder.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `cannotOpen`, `diskFull` or one of
  ///   SQLite's.
  public static func temporary(
    _ entities: any Entity.Type..., options: Options = Options()
  ) async throws -> Stack {
    try await temporary(entities, options: options)
  }

  /// Creates a stack over a new, empty store for a list of entities; closing it removes the store.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `cannotOpen`, `diskFull` or one of
  ///   SQLite's.
  public static func temporary(
    _ entities: [any Entity.Type], options: Options = Options()
  ) async throws -> Stack {
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
    let (store, setAside) = try await Store.open(
      StoreOptions(options, model, at: StorePath(path), isTemporary: temporaryFolder != nil),
      ifUnreadable: options.ifUnreadable)
    do throws(StoreError) {
      let (view, commit) = try await makeView(of: store, options)
      let stack = Stack(store, view, temporaryFolder, setAside)
      if let setAside { options.log?(.setAside(setAside)) }
      options.log?(.opened(commit: commit, duration: start.duration(to: .now)))
      return stack
    } catch {
      await store.close()
      throw error
    }
  }

  /// Makes the view context, if the options want one.
  ///
  /// - Returns: the view context and the number of the newest commit.
  private static func makeView(
    of store: Store, _ options: Options
  ) async throws(StoreError) -> (ViewContext?, Int64) {
    guard options.hasViewContext else {
      return (nil, try await store.writer.submit(.urgent) { $0.beginWithoutView() })
    }
    let maintainer = Maintainer(store.model, options.bounds, store.writer)
    let snapshot = try await store.writer.submit(.urgent) { writer throws(StoreError) in
      try writer.beginMerging { maintainer.show($0) }
    }
    let view = await ViewContext(store, maintainer, snapshot)
    store.attach(
      Store.AttachedView(
        keysInUse: { [weak view] in await view?.keysInUse ?? [:] },
        merged: { [weak view] commit in await view?.mergedOwn(commit) }))
    await maintainer.start(view, snapshot)
    return (view, snapshot.commit)
  }

  private init(
    _ store: Store, _ view: ViewContext?, _ temporaryFolder: TemporaryFolder?,
    _ setAside: SetAsideStore?
  ) {
    self.store = store
    attachedView = view
    self.temporaryFolder = temporaryFolder
    self.setAside = setAside
    migration = store.writer.migration
  }

  deinit {
    // If `close()` was not called, queued work finishes in the background. Then the streams and
    // waits of the view context and of its live queries end.
    Task { [store, attachedView, temporaryFolder] in
      await store.close()
      await attachedView?.close()
      temporaryFolder?.remove()
    }
  }

  /// Closes the stack: finishes queued saves, stops fetches, ends streams, closes the file.
  ///
  /// Afterwards, calls that need the store throw `closed`. Everything in memory stays readable, but
  /// unsaved edits can no longer be saved. Closing twice is allowed: every call returns when the
  /// stack is closed. A stack without references closes itself, even while its view context still
  /// has some.
  public func close() async {
    await store.close()
    await attachedView?.close()
    temporaryFolder?.remove()
  }

  // MARK: - Suspending

  /// Whether the stack is suspended: no connection is open.
  public var isSuspended: Bool { store.isSuspended }

  /// Closes the store's file until ``resume()``, for an app that goes to the background.
  ///
  /// Queued saves and import batches are committed. Running fetches are stopped, and run again by
  /// themselves after ``resume()``. When this returns, no file of the store is open or locked.
  /// Everything in memory keeps working: live queries, edits, `rollback`.
  ///
  /// Fetches, saves and merges that begin meanwhile wait for the resumption. They end with
  /// `cancelled` or `closed` if the task is cancelled or the stack is closed first. A save that is
  /// committed but not yet merged into the view context waits, too. It returns the number of its
  /// commit when the stack is resumed or closed.
  ///
  /// Suspending a suspended or closed stack does nothing. Calls of `suspend`, `resume` and
  /// ``close()`` take effect one after the other.
  public func suspend() async { await store.suspend() }

  /// Opens the store's file again, and returns when the view context shows the newest commit.
  ///
  /// Commits that other processes made meanwhile are reported like any other commit. Unsaved edits
  /// stay on top of them, and conflicts are noted. A scratch context that had read the store reads
  /// the newest state from then on, as after `refresh()`. Resuming a stack that is not suspended
  /// does nothing. If the stack is suspended again before the view context has caught up, the call returns
  /// after the next resumption.
  ///
  /// - Throws: ``StoreError`` with code `cannotOpen`, `busy`, `notADatabase`, `schemaChanged`,
  ///   `replaced` or one of SQLite's: the stack is still suspended, all calls go on waiting, and
  ///   resuming may be tried again. With code `closed` if the stack is closed. With code
  ///   `cancelled` if the task was cancelled before the view context had caught up; the stack is
  ///   then resumed.
  public func resume() async throws {
    try await store.resume()
    try await attachedView?.pinned()
  }

  // MARK: - Working

  /// The commits from this call on, each as soon as it is committed.
  ///
  /// The view context shows a commit a moment later; `view.waitUntilMerged(changes.commit)` waits for it.
  public var changes: ChangeStream<ChangeSet> {
    ChangeStream(store.publisher.subscribe(to: nil)) { $0 }
  }

  /// Creates a scratch context whose saves go to the store.
  public func makeScratch() -> sending ScratchContext { ScratchContext(store) }

  /// Lends a scratch context to `body`, saves it, and returns when the view context shows the save.
  ///
  /// `body` runs where the caller runs. If it throws, nothing is saved. If the save throws, nothing
  /// is saved either. Closing the stack after the commit only ends the wait.
  ///
  /// A change that depends on the rows that it replaces needs retries: each retry reads the newest
  /// rows.
  ///
  /// ```swift
  /// try await stack.withScratch(retries: 10) { scratch in
  ///   guard let song = try await scratch.find(Song.self, id) else { return }
  ///   scratch.update(song) { $0.title = $0.title.capitalized }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - policy: the handling of conflicts, as in ``ScratchContext/save(_:)``.
  ///   - retries: how often `body` runs again, in a new context, after a save with a conflict; 0 or
  ///     more.
  ///   - waitsForViewContext: whether the call waits until the view context shows the save. The wait needs
  ///     a turn of the main actor, so it does not end while the main thread is blocked. A stack
  ///     without a view context never waits.
  ///   - body: a closure that edits the context. With retries, it may run several times.
  /// - Throws: errors of `body`; ``StoreError`` as ``ScratchContext/save(_:)`` does.
  @discardableResult
  public nonisolated(nonsending) func withScratch<R>(
    _ policy: SavePolicy = .error, retries: Int = 0, waitsForViewContext: Bool = true,
    _ body: nonisolated(nonsending) (ScratchContext) async throws -> R
  ) async throws -> R {
    var retries = retries
    while true {
      let scratch = ScratchContext(store)
      defer { scratch.end() }
      let result = try await body(scratch)
      do {
        let commit = try await scratch.save(policy)
        if waitsForViewContext { await store.viewMerged(commit) }
        return result
      } catch StoreError.Code.conflict where retries > 0 {
        retries -= 1
      }
    }
  }
}
