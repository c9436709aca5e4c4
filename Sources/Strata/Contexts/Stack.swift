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
    /// The length in bytes past which the write-ahead log is written back.
    public var logLimit = 16 * 1024 * 1024
    /// How much history is kept of what this stack commits; nil for none. See
    /// ``Stack/history(since:)``.
    ///
    /// With a history, other processes and this one tell each other exactly what they change;
    /// without, they read the tables again.
    public var history: HistoryOptions?
    /// Who commits, as the history says it, unless a context has an author of its own.
    public var author = ProcessInfo.processInfo.processName
    /// Whether commits of other processes are noticed as they are made, and theirs are told of ours.
    ///
    /// Takes a file `<store>-notify` and some 2 µs a commit. Without it, others' commits are noticed
    /// with this stack's own next commit.
    public var watchesOtherProcesses = true
    /// How long commits may wait for the log to be started again; tests, which share the main actor
    /// with other tests, give it all the time it needs.
    var logPatience = CheckpointRule.patience

    /// The usual options.
    public init() {}
  }

  /// The main actor's context.
  @MainActor public let view: ViewContext
  package let store: Store
  private let maintainer: Maintainer
  private let temporaryFolder: TemporaryFolder?

  // MARK: - Opening

  /// Opens the store at `url`, or creates it; its folder must exist.
  ///
  /// - Throws: ``StoreError`` with code `invalidSchema`, `notADatabase`, `cannotOpen`, `newerStore`,
  ///   `schemaMismatch`, `busy`, `diskFull` or one of SQLite's.
  public static func open(
    _ entities: any Entity.Type..., at url: URL, options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await open(entities, at: url, options: options)
  }

  /// Opens the store at `url` with a list of entities.
  public static func open(
    _ entities: [any Entity.Type], at url: URL, options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await open(entities, path: url.path, options, temporaryFolder: nil)
  }

  /// A new, empty store in a folder of its own that is removed when the stack closes.
  ///
  /// A real file: what runs in a test is what ships.
  public static func temporary(
    _ entities: any Entity.Type..., options: Options = Options()
  ) async throws(StoreError) -> Stack {
    try await temporary(entities, options: options)
  }

  /// A new, empty store for a list of entities, removed when the stack closes.
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

  private static func open(
    _ entities: [any Entity.Type], path: String, _ options: Options,
    temporaryFolder: TemporaryFolder?
  ) async throws(StoreError) -> Stack {
    let model = try Model(entities)
    let store = try await Store.open(
      StoreOptions(
        path: path, model: model, synchronous: options.synchronous == .full ? .full : .normal,
        busyTimeout: options.busyTimeout, schemaVersion: options.schemaVersion,
        logLimit: options.logLimit, logPatience: options.logPatience, history: options.history,
        author: options.author, watchesOtherProcesses: options.watchesOtherProcesses))
    do throws(StoreError) {
      let snapshot = try await store.writer.submit(.urgent) { writer throws(StoreError) in
        try writer.beginMerging()
      }
      let maintainer = Maintainer()
      await maintainer.begin(snapshot)
      let view = await ViewContext(store, maintainer, snapshot)
      let stack = await Stack(store, maintainer, view, temporaryFolder)
      MergeLoop.start(store.writer, maintainer, view)
      return stack
    } catch {
      await store.close()
      throw error
    }
  }

  @MainActor
  private init(
    _ store: Store, _ maintainer: Maintainer, _ view: ViewContext,
    _ temporaryFolder: TemporaryFolder?
  ) {
    self.store = store
    self.maintainer = maintainer
    self.view = view
    self.temporaryFolder = temporaryFolder
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
  /// Afterwards every call throws `closed`; what is in memory stays readable. Closing twice is
  /// allowed.
  public func close() async {
    await store.close()
    await view.close()
    temporaryFolder?.remove()
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
  /// `body` runs where the caller runs. If it throws, nothing is saved.
  @discardableResult
  public nonisolated(nonsending) func withScratch<R>(
    _ body: nonisolated(nonsending) (ScratchContext) async throws -> R
  ) async throws -> R {
    let scratch = ScratchContext(store)
    defer { scratch.end() }
    let result = try await body(scratch)
    let commit = try await scratch.save()
    try await view.merged(commit)
    return result
  }

  /// The entities of a query, as the store has them now.
  public nonisolated(nonsending) func fetch<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> [E] {
    try await LayeredFetch(snapshot: try await store.snapshot(), layers: [], model: store.model)
      .fetch(query)
  }
}
