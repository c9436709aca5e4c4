internal import Foundation
internal import StrataSQLite

/// One open store file and everything that works on it: what a stack's contexts share.
package final class Store: Sendable {
  package let model: Model
  let writer: Writer
  /// Every commit, for anybody.
  let publisher: ChangePublisher
  /// What is under way.
  let activity = ActivityLedger()
  /// Whom an outbox tells what was pushed.
  let imports = ImportsUnderWay()
  private let newest: NewestCommit
  let lifecycle = Lock(Lifecycle())
  private let keysInUseOfView = Lock<@Sendable () async -> [TableID: Set<RecordKey>]>({ [:] })

  private init(
    model: Model, writer: Writer, publisher: ChangePublisher, newest: NewestCommit
  ) {
    self.model = model
    self.writer = writer
    self.publisher = publisher
    self.newest = newest
  }

  static func open(_ options: StoreOptions) async throws(StoreError) -> Store {
    let publisher = ChangePublisher(options.bounds)
    let newest = NewestCommit()
    let writer = try await Writer.open(options, publisher: publisher, newest: newest)
    return Store(model: options.model, writer: writer, publisher: publisher, newest: newest)
  }

  /// Introduces the view context, whose unsaved edits keep rows.
  func attach(keysInUse: @escaping @Sendable () async -> [TableID: Set<RecordKey>]) {
    keysInUseOfView.withLock { $0 = keysInUse }
  }

  /// The keys that have unsaved edits in the view context, and those that an edit refers to.
  var keysInUse: [TableID: Set<RecordKey>] {
    get async { await keysInUseOfView.withLock(\.self)() }
  }

  /// The number of the newest commit.
  var newestCommit: Int64 { newest.value }

  /// What time it is.
  func now() -> Date { writer.options.now() }

  /// Reads the newest commit; what a suspension stops is read again after it.
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

  /// What tells this store from any other; a copy of the file has the same.
  var identity: UUID { writer.identity }
  var historyLayout: HistoryLayout { writer.historyLayout }

  /// A snapshot of the newest commit.
  func snapshot() async throws(StoreError) -> Snapshot {
    // While commits wait for everybody to come to rest, nobody begins to read.
    if !Task.isCancelled, !writer.queue.isHeld, let snapshot = writer.pool.pinIfIdle(newest) {
      return snapshot
    }
    return try await writer.submit(.urgent) { writer throws(StoreError) in
      let snapshot = try writer.snapshot()
      // What is read of it may be another process's: everybody here is told of it, too.
      writer.catchUp(with: snapshot)
      writer.answerMergePull()
      return snapshot
    }
  }
}
