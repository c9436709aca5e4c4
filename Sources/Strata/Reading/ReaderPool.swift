internal import StrataSQLite

/// The read-only connections of a stack: all connections in use, and a few idle ones.
///
/// Pinning never waits for a connection. Without an idle connection, it opens a new one. Only the
/// number of idle connections is bounded.
final class ReaderPool: Sendable {
  private struct State: Sendable {
    var idle: [Reader] = []
    var snapshots: [ObjectIdentifier: WeakSnapshot] = [:]
    /// The readers whose snapshot has ended and whose transaction has not.
    var releasing: [ObjectIdentifier: Reader] = [:]
    var open = 0
    /// Whether the pool keeps connections; ``Lifecycle`` decides.
    var isOpen = true
    var whenEmpty: UnsafeContinuation<Void, Never>?
    /// The schema version of the writer's last pin; nil before the first pin.
    var schemaVersion: Int64?
  }

  private struct WeakSnapshot: Sendable {
    weak var snapshot: Snapshot?
  }

  let options: StoreOptions
  private let state = Lock(State())

  init(_ options: StoreOptions) { self.options = options }

  /// Returns a snapshot of the newest commit; called by the writer between transactions.
  ///
  /// - Throws: ``StoreError`` with code `closed` after the pool was closed, `schemaChanged` if the
  ///   tables no longer have the schema version, or one of SQLite's if the file cannot be opened or
  ///   read.
  func pin(schemaVersion: Int64) throws(StoreError) -> Snapshot {
    let idle = state.withLock { state in
      state.schemaVersion = schemaVersion
      return state.idle.popLast()
    }
    let reader: Reader
    if let idle {
      reader = idle
    } else {
      reader = try Reader(options)
      state.withLock { $0.open += 1 }
    }
    do throws(StoreError) {
      let pinned = try reader.pinNow()
      guard pinned.schemaVersion == schemaVersion else { throw .schemaChanged }
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

  /// Returns a snapshot of the newest commit, pinned on the calling thread.
  ///
  /// - Returns: nil if no reader is idle, or if the writer does not know the commit or the tables.
  func pinIfIdle(_ newest: NewestCommit) -> Snapshot? {
    let (reader, schemaVersion) = state.withLock { state in
      (state.isOpen ? state.idle.popLast() : nil, state.schemaVersion)
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
      if state.isOpen {
        state.snapshots[ObjectIdentifier(snapshot)] = WeakSnapshot(snapshot: snapshot)
      }
      return state.isOpen
    }
    // Releasing the snapshot gives the reader back. A closing or a suspension waits for that.
    return isOpen ? snapshot : nil
  }

  /// The number of open connections, and the held snapshots with their holders, by commit.
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

  /// Ends a reader's transaction, then keeps the reader as idle or closes it.
  private func takeBack(_ reader: Reader) {
    if reader.unpinIfIdle() { return didUnpin(reader) }
    reader.unpin { self.didUnpin(reader) }
  }

  private func didUnpin(_ reader: Reader) {
    let keeps = self.state.withLock { state in
      state.releasing[ObjectIdentifier(reader)] = nil
      guard state.isOpen, state.idle.count < options.bounds.idleReaders else { return false }
      state.idle.append(reader)
      return true
    }
    if !keeps { reader.close { self.didClose() } }
  }

  /// Runs `body` while no snapshot is pinned, then pins every snapshot again.
  ///
  /// The writer calls this between transactions. It commits nothing meanwhile, so a snapshot of the
  /// newest commit sees the same state before and after.
  ///
  /// Does nothing if a snapshot is of an earlier commit or is being read.
  ///
  /// - Returns: whether every snapshot still shows its commit. A snapshot that does not is ended.
  func withoutPins(at commit: Int64, schemaVersion: Int64, _ body: () -> Void) -> Bool {
    for reader in state.withLock({ Array($0.releasing.values) }) { reader.waitForWork() }
    let snapshots = state.withLock { $0.snapshots.values.compactMap(\.snapshot) }
    let readers = snapshots.compactMap { $0.commit == commit ? $0.idleReader : nil }
    guard readers.count == snapshots.count else { return true }
    let pinned = Reader.Pinned(commit: commit, schemaVersion: schemaVersion)
    var isWhole = true
    unpinning(Array(zip(snapshots, readers))[...], body) { snapshot, again in
      if (try? again.get()) == pinned { return }
      // A foreign commit came in between, so the snapshot would read another commit.
      snapshot.end(isLost: true)
      isWhole = false
    }
    return isWhole
  }

  /// Unpins each reader inside the turn of the reader before it.
  ///
  /// So no reader reads until all readers are pinned again.
  private func unpinning(
    _ held: ArraySlice<(Snapshot, Reader)>, _ body: () -> Void,
    then: (Snapshot, Result<Reader.Pinned, StoreError>) -> Void
  ) {
    guard let (snapshot, reader) = held.first else { return body() }
    reader.withoutPin {
      unpinning(held.dropFirst(), body, then: then)
    } then: {
      then(snapshot, $0)
    }
  }

  /// Ends every snapshot, stops their fetches, and returns when the last connection is closed.
  ///
  /// - Parameter isSuspension: whether the fetches run again on another snapshot, after
  ///   ``resume()``.
  func close(isSuspension: Bool = false) async {
    let (idle, snapshots) = state.withLock { state in
      state.isOpen = false
      defer { state.idle = [] }
      return (state.idle, state.snapshots.values.compactMap(\.snapshot))
    }
    for reader in idle { reader.close { self.didClose() } }
    for snapshot in snapshots { snapshot.end(isLost: isSuspension) }
    await state.awaiting { state, waiter in
      if state.open == 0 { return () }
      state.whenEmpty = waiter
      return nil
    }
  }

  /// Lets the pool keep connections again.
  func resume() { state.withLock { $0.isOpen = true } }

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
