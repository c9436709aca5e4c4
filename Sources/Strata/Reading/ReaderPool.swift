internal import StrataSQLite

/// The read-only connections of a stack: all connections in use, and a few idle ones.
///
/// Pinning never waits for a connection. Without an idle connection, it opens a new one. Only the
/// number of idle connections is bounded.
final class ReaderPool: Sendable {
  private struct State: Sendable {
    var idle: [Reader] = []
    var pinned: [ObjectIdentifier: Pin] = [:]
    var pins = 0
    /// The readers whose snapshot has ended and whose transaction has not.
    var releasing: [Reader] = []
    var open = 0
    /// Whether the pool keeps connections; ``Lifecycle`` decides.
    var isOpen = true
    var whenEmpty: DirectContinuation<Void>?
    /// The schema version of the writer's last pin; nil before the first pin.
    var schemaVersion: Int64?
    /// The writer's file.
    var file: FileStatus.ID?
    /// Called when a failed read has ended a snapshot.
    var onLoss: (@Sendable () -> Void)?

    mutating func add(_ snapshot: Snapshot) {
      pins += 1
      pinned[ObjectIdentifier(snapshot)] = Pin(number: pins, snapshot: snapshot)
    }

    /// The held snapshots in the order in which they were pinned.
    var snapshots: [Snapshot] {
      pinned.values.sorted { $0.number < $1.number }.compactMap(\.snapshot)
    }
  }

  private struct Pin: Sendable {
    let number: Int
    weak var snapshot: Snapshot?
  }

  let options: StoreOptions
  private let state = Lock(State())
  /// The reads that ran on their callers' threads.
  let turns = TurnCounter()

  init(_ options: StoreOptions) { self.options = options }

  /// Returns a snapshot of the newest commit; called by the writer between transactions.
  ///
  /// - Throws: ``StoreError`` with code `closed` after the pool was closed, `schemaChanged` if the
  ///   tables no longer have the schema version, or one of SQLite's if the file cannot be opened or
  ///   read.
  func pin(schemaVersion: Int64, of file: FileStatus.ID?) throws(StoreError) -> Snapshot {
    state.withLock { ($0.schemaVersion, $0.file) = (schemaVersion, file) }
    let (reader, pinned) = try pinnedReader()
    guard pinned.schemaVersion == schemaVersion else {
      reader.close { self.didClose() }
      throw .schemaChanged
    }
    let snapshot = Snapshot(commit: pinned.commit, reader: reader, pool: self)
    state.withLock { $0.add(snapshot) }
    return snapshot
  }

  /// Pins the newest commit with an idle reader, or with a new one.
  private func pinnedReader() throws(StoreError) -> (reader: Reader, pinned: Reader.Pinned) {
    let reader: Reader
    if let idle = state.withLock({ $0.idle.popLast() }) {
      reader = idle
    } else {
      reader = try Reader(options, of: state.withLock(\.file))
      state.withLock { $0.open += 1 }
    }
    do throws(StoreError) { return (reader, try reader.pinNow()) } catch {
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
      if state.isOpen { state.add(snapshot) }
      return state.isOpen
    }
    // Releasing the snapshot gives the reader back. A closing or a suspension waits for that.
    return isOpen ? snapshot : nil
  }

  /// The number of open connections, and the held snapshots with their holders, by commit.
  var load: (readers: Int, snapshots: [StackDiagnostics.Snapshot]) {
    let now = ContinuousClock.now
    let (readers, held) = state.withLock { ($0.open, $0.snapshots) }
    let snapshots = held.map { snapshot in
      StackDiagnostics.Snapshot(commit: snapshot.commit, holders: snapshot.holders(at: now))
    }
    return (readers, snapshots.sorted { $0.commit < $1.commit })
  }

  /// Takes a reader back when its snapshot ends.
  func release(_ reader: Reader, of snapshot: ObjectIdentifier) {
    state.withLock { state in
      state.pinned[snapshot] = nil
      state.releasing.append(reader)
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
      state.releasing.removeAll { $0 === reader }
      guard state.isOpen, state.idle.count < options.settings.bounds.idleReaders else {
        return false
      }
      state.idle.append(reader)
      return true
    }
    if !keeps { reader.close { self.didClose() } }
  }

  /// Sets the function to call when a failed read has ended a snapshot.
  func onLoss(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onLoss = body } }

  /// Notes that a failed read has ended a snapshot.
  func didLosePin() { state.withLock { $0.onLoss }?() }

  /// Returns whether every snapshot is of the newest commit and is not being read.
  func isAtRest(at commit: Int64) -> Bool {
    for reader in state.withLock({ $0.releasing }) { reader.waitForWork() }
    let snapshots = state.withLock { $0.snapshots }
    return snapshots.allSatisfy { $0.commit == commit && $0.idleReader != nil }
  }

  /// Moves every snapshot to a new read transaction of the same commit.
  ///
  /// If the whole log is written back, a new read transaction reads the file alone, so that the log
  /// can be started again. The old transaction ends only once the new one is known to see the same
  /// commit. So a snapshot keeps its commit if an operation fails or another process commits. A
  /// snapshot that is being read stays where it is.
  func moveSnapshots(at commit: Int64, schemaVersion: Int64) {
    let pinned = Reader.Pinned(commit: commit, schemaVersion: schemaVersion)
    for snapshot in state.withLock({ $0.snapshots }) {
      guard let (spare, now) = try? pinnedReader() else { return }
      guard now == pinned, let old = snapshot.move(to: spare) else {
        takeBack(spare)
        continue
      }
      // Only a transaction that has ended lets the next commit start the log again.
      old.unpin { self.didUnpin(old) }
      old.waitForWork()
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
      return (state.idle, state.snapshots)
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
      guard state.open == 0 else { return nil as DirectContinuation<Void>? }
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
