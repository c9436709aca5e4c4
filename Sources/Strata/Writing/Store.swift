internal import Foundation
internal import StrataSQLite

/// An open store file and everything that works on it, shared by a stack's contexts.
package final class Store: Sendable {
  package let model: Model
  let writer: Writer
  /// The publisher of every commit, open to any subscriber.
  let publisher: ChangePublisher
  /// The counts of work that is under way.
  let activity = ActivityLedger()
  /// The running imports, which an outbox notifies of pushed rows.
  let imports = ImportsUnderWay()
  /// The turns of the pushes, which all stacks of the process share that have the file open.
  let pushTurns: PushTurns
  /// The outbox, while it has a user.
  let outbox = WeakReference()
  private let newest: NewestCommit
  let lifecycle = Lock(Lifecycle())
  private let view = Lock<AttachedView?>(nil)

  /// The store's view of the view context, which stands above it.
  struct AttachedView: Sendable {
    /// Returns the keys that have unsaved edits, and the keys to which an edit refers.
    let keysInUse: @Sendable () async -> [TableID: Set<RecordKey>]
    /// Returns when the view context shows a commit, or when it never will.
    let merged: @Sendable (Int64) async -> Void
  }

  private init(
    model: Model, writer: Writer, publisher: ChangePublisher, newest: NewestCommit
  ) {
    self.model = model
    self.writer = writer
    self.publisher = publisher
    self.newest = newest
    pushTurns = PushTurns.of(
      PushTurns.Place(identity: writer.identity, file: FileStatus(writer.options.path)?.id))
  }

  static func open(_ options: StoreOptions) async throws(StoreError) -> Store {
    let publisher = ChangePublisher(options.settings.bounds)
    let newest = NewestCommit()
    let writer = try await Writer.open(options, publisher: publisher, newest: newest)
    return Store(model: options.model, writer: writer, publisher: publisher, newest: newest)
  }

  /// Attaches the view context, whose unsaved edits keep rows from being deleted.
  func attach(_ view: AttachedView) { self.view.withLock { $0 = view } }

  /// The keys that have unsaved edits in the view context, and the keys to which an edit refers.
  var keysInUse: [TableID: Set<RecordKey>] {
    get async { await view.withLock(\.self)?.keysInUse() ?? [:] }
  }

  /// Returns when the view context shows a commit, or when it never will.
  package func viewMerged(_ commit: Int64) async {
    await view.withLock(\.self)?.merged(commit)
  }

  /// The number of the newest commit.
  var newestCommit: Int64 { newest.value }

  /// Returns the current time, by the clock of the options.
  func now() -> Date { writer.options.settings.now() }

  /// Reads the newest commit; a read that a suspension stops is run again after it.
  nonisolated(nonsending) func reading<R>(
    _ body: nonisolated(nonsending) (Snapshot) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    while true {
      let snapshot = try await snapshot()
      do throws(StoreError) { return try await body(snapshot) } catch {
        guard error.code == .suspended else { throw error }
      }
    }
  }

  /// Runs `body` in a transaction of its own, in its turn among saves.
  @discardableResult
  nonisolated(nonsending) func transaction<R: Sendable>(
    _ body: @escaping @Sendable (inout Transaction) throws(StoreError) -> R
  ) async throws(StoreError) -> (commit: Int64, result: R) {
    try await writer.submit(.normal) { writer throws(StoreError) in try writer.transaction(body) }
  }

  /// Runs `body` in a transaction of its own, behind saves and among the batches of imports.
  ///
  /// - Returns: the number of the commit, or of the newest commit, the result of `body`, the time
  ///   for which it held the writer, and whether a save of the view context has waited for it.
  nonisolated(nonsending) func batch<R: Sendable>(
    of context: ContextID, author: String?,
    _ body: @escaping @Sendable (inout Transaction) throws(StoreError) -> R
  ) async throws(StoreError) -> (
    commit: Int64, result: R, duration: Duration, hasHeldUp: Bool
  ) {
    try await writer.submit(.bulk, context: context) { writer throws(StoreError) in
      let start = ContinuousClock.now
      let (commit, result) = try writer.transaction(author: author, body)
      return (commit, result, start.duration(to: .now), writer.queue.hasUrgentWork)
    }
  }

  /// The identity that only this store and copies of its file have.
  var identity: UUID { writer.identity }

  /// Returns a snapshot of the newest commit.
  func snapshot() async throws(StoreError) -> Snapshot {
    // During a hold, commits wait until the merge and all reads have ended, so no new read begins.
    if !Task.isCancelled, !writer.queue.isHeld, let snapshot = writer.pool.pinIfIdle(newest) {
      return snapshot
    }
    return try await writer.submit(.urgent) { writer throws(StoreError) in
      let snapshot = try writer.snapshot()
      // The snapshot may contain foreign commits, so the consumers here get them, too.
      writer.catchUp(with: snapshot)
      writer.offerMergeStep()
      return snapshot
    }
  }
}
