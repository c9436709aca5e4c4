internal import StrataSQLite

/// The read-only connections of a stack: those in use, and a few idle ones.
///
/// Pinning never waits for a connection: if none is idle, one is opened. Only idle connections are
/// bounded.
final class ReaderPool: Sendable {
  /// Whether connections are kept; ``Lifecycle`` decides.
  private enum Access: Sendable { case open, suspended, closed }

  private struct State: Sendable {
    var idle: [Reader] = []
    var snapshots: [ObjectIdentifier: WeakSnapshot] = [:]
    /// Readers whose snapshot has ended and that still have to end their transaction.
    var releasing: [ObjectIdentifier: Reader] = [:]
    var open = 0
    var access = Access.open
    var whenEmpty: UnsafeContinuation<Void, Never>?
    /// The tables' version, once the writer has pinned something.
    var schemaVersion: Int64?
  }

  private struct WeakSnapshot: Sendable {
    weak var snapshot: Snapshot?
  }

  let path: String
  let model: Model
  private let busyTimeout: Duration
  /// More than this many idle connections are closed.
  private let idleLimit: Int
  private let state = Lock(State())

  /// Where repeated reads are noted, if they are.
  let repeatedReads: RepeatedReads?
  private let observers: StatementObservers
  let log: EventLog

  init(
    path: String, model: Model, busyTimeout: Duration, bounds: StoreBounds = StoreBounds(),
    repeatedReads: RepeatedReads? = nil, observers: StatementObservers = StatementObservers(),
    log: EventLog = EventLog()
  ) {
    self.path = path
    idleLimit = bounds.idleReaders
    self.repeatedReads = repeatedReads
    self.observers = observers
    self.log = log
    self.model = model
    self.busyTimeout = busyTimeout
  }

  /// A snapshot of the newest commit; called by the writer between transactions.
  ///
  /// - Throws: `schemaChanged` if the tables are not those of the schema version any more.
  func pin(schemaVersion: Int64) throws(StoreError) -> Snapshot {
    let (isClosed, idle) = state.withLock { state in
      state.schemaVersion = schemaVersion
      return (state.access == .closed, state.idle.popLast())
    }
    if isClosed { throw .closed }
    let snapshot = try translatingErrors { () throws(SQLiteError) -> Snapshot? in
      let reader: Reader
      if let idle {
        reader = idle
      } else {
        reader = try Reader(
          path: path, model: model, busyTimeout: busyTimeout, repeatedReads: repeatedReads,
          observers: observers)
        state.withLock { $0.open += 1 }
      }
      do throws(SQLiteError) {
        let pinned = try reader.pinNow()
        guard pinned.schemaVersion == schemaVersion else {
          reader.close { self.didClose() }
          return nil
        }
        let snapshot = Snapshot(commit: pinned.commit, reader: reader, pool: self)
        state.withLock {
          $0.snapshots[ObjectIdentifier(snapshot)] = WeakSnapshot(snapshot: snapshot)
        }
        return snapshot
      } catch {
        reader.close { self.didClose() }
        throw error
      }
    }
    guard let snapshot else { throw .schemaChanged }
    return snapshot
  }

  /// A snapshot of the newest commit, pinned on the calling thread; nil if no reader is idle, or if
  /// the commit or the tables are not those that the writer knows.
  func pinIfIdle(_ newest: NewestCommit) -> Snapshot? {
    let (reader, schemaVersion) = state.withLock { state in
      (state.access == .open ? state.idle.popLast() : nil, state.schemaVersion)
    }
    guard let reader else { return nil }
    guard let result = reader.pinIfIdle() else {
      didUnpin(reader)
      return nil
    }
    guard case .success(let pinned) = result, pinned.schemaVersion == schemaVersion,
      pinned.commit <= newest.value
    else {
      takeBack(reader)
      return nil
    }
    let snapshot = Snapshot(commit: pinned.commit, reader: reader, pool: self)
    let isOpen = state.withLock { state in
      if state.access == .open {
        state.snapshots[ObjectIdentifier(snapshot)] = WeakSnapshot(snapshot: snapshot)
      }
      return state.access == .open
    }
    // Ending it gives the reader back, and whoever closes or suspends waits for that.
    return isOpen ? snapshot : nil
  }

  /// Connections, and who holds what.
  var load: (readers: Int, snapshots: [StackDiagnostics.Snapshot]) {
    let now = ContinuousClock.now
    let (readers, held) = state.withLock { ($0.open, $0.snapshots.values.compactMap(\.snapshot)) }
    let snapshots = held.map { snapshot in
      StackDiagnostics.Snapshot(commit: snapshot.commit, holders: snapshot.holders(at: now))
    }
    return (readers, snapshots.sorted { $0.commit < $1.commit })
  }

  /// Takes a reader back when its snapshot ends.
  func release(_ reader: Reader, of snapshot: ObjectIdentifier) {
    state.withLock { state in
      state.snapshots[snapshot] = nil
      state.releasing[ObjectIdentifier(reader)] = reader
    }
    takeBack(reader)
  }

  /// Ends a reader's transaction; then it is idle, or closed.
  private func takeBack(_ reader: Reader) {
    if reader.unpinIfIdle() { return didUnpin(reader) }
    reader.unpin { self.didUnpin(reader) }
  }

  private func didUnpin(_ reader: Reader) {
    let keeps = self.state.withLock { state in
      state.releasing[ObjectIdentifier(reader)] = nil
      guard state.access == .open, state.idle.count < idleLimit else {
        return false
      }
      state.idle.append(reader)
      return true
    }
    if !keeps { reader.close { self.didClose() } }
  }

  /// Runs `body` while nobody has anything pinned, then pins every snapshot again.
  ///
  /// Called by the writer between transactions: as nothing is committed meanwhile, a snapshot of
  /// the newest commit sees the same state before and after.
  ///
  /// Does nothing if a snapshot is of an earlier commit or being read.
  ///
  /// - Returns: whether every snapshot still stands for its commit; one that does not has ended.
  func withoutPins(at commit: Int64, schemaVersion: Int64, _ body: () -> Void) -> Bool {
    for reader in state.withLock({ Array($0.releasing.values) }) { reader.settle() }
    let snapshots = state.withLock { $0.snapshots.values.compactMap(\.snapshot) }
    let readers = snapshots.compactMap { $0.commit == commit ? $0.idleReader : nil }
    guard readers.count == snapshots.count else { return true }
    let pinned = Reader.Pinned(commit: commit, schemaVersion: schemaVersion)
    var isWhole = true
    unpinning(Array(zip(snapshots, readers))[...], body) { snapshot, again in
      if (try? again.get()) == pinned { return }
      // Another process committed in between: what it would read now is not what it stands for.
      snapshot.end(.lost)
      isWhole = false
    }
    return isWhole
  }

  /// Unpins one reader inside of the other, so that nothing is read until all are pinned again.
  private func unpinning(
    _ held: ArraySlice<(Snapshot, Reader)>, _ body: () -> Void,
    then: (Snapshot, Result<Reader.Pinned, SQLiteError>) -> Void
  ) {
    guard let (snapshot, reader) = held.first else { return body() }
    reader.withoutPin {
      unpinning(held.dropFirst(), body, then: then)
    } then: {
      then(snapshot, $0)
    }
  }

  /// Ends every snapshot, stops their fetches, and returns when the last connection is closed.
  func close() async {
    state.withLock { $0.access = .closed }
    await empty(.closed)
  }

  /// Ends every snapshot and stops their fetches, which are run again on another one; returns when
  /// the last connection is closed.
  func suspend() async {
    state.withLock { $0.access = .suspended }
    await empty(.lost)
  }

  /// Keeps connections again.
  func resume() { state.withLock { $0.access = .open } }

  /// Closes every connection; what is in use is closed when its fetch has stopped.
  private func empty(_ end: Snapshot.End) async {
    let (idle, snapshots) = state.withLock { state in
      defer { state.idle = [] }
      return (state.idle, state.snapshots.values.compactMap(\.snapshot))
    }
    for reader in idle { reader.close { self.didClose() } }
    for snapshot in snapshots { snapshot.end(end) }
    await withUnsafeContinuation { continuation in
      let isEmpty = state.withLock { state in
        if state.open == 0 { return true }
        state.whenEmpty = continuation
        return false
      }
      if isEmpty { continuation.resume() }
    }
  }

  private func didClose() {
    let waiter = state.withLock { state in
      state.open -= 1
      guard state.open == 0 else { return nil as UnsafeContinuation<Void, Never>? }
      defer { state.whenEmpty = nil }
      return state.whenEmpty
    }
    waiter?.resume()
  }
}

extension StoreError {
  static var schemaChanged: StoreError {
    StoreError(
      .schemaChanged, "another program changed the store's tables",
      advice: "close the stack and open it again")
  }
}
