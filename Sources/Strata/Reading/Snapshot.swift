internal import StrataSQLite

/// The store exactly as it was after one commit, for as long as the snapshot is held.
///
/// Reads run one after the other on the snapshot's own reader. Releasing the last reference gives
/// the reader back without blocking.
final class Snapshot: Sendable {
  /// The number of the commit, read through the pin itself.
  let commit: Int64
  private let pool: ReaderPool
  private let state: Lock<State>

  private struct State: Sendable {
    /// The snapshot's reader; nil once the snapshot has ended.
    var reader: Reader?
    /// Whether the snapshot has ended and another snapshot has to take its place.
    var isLost = false
    var running: [ObjectIdentifier: Running] = [:]
    var cursors = 0
    /// The holders of the snapshot; there are few, most often one.
    var holders: [(number: Int, holder: SnapshotHold.Holder)] = []
    var lastHolder = 0

    var idleReader: Reader? { running.isEmpty && cursors == 0 ? reader : nil }
  }

  /// A read that has not ended.
  private struct Running: Sendable {
    let flag: CancellationFlag
    /// The start of the read; nil for a read on the caller's thread, which is too short to be
    /// timed.
    let since: ContinuousClock.Instant?
  }

  init(commit: Int64, reader: Reader, pool: ReaderPool) {
    self.commit = commit
    self.pool = pool
    state = Lock(State(reader: reader))
  }

  deinit { end() }

  /// Whether another snapshot has to take the place of this snapshot.
  var isLost: Bool { state.withLock { $0.isLost } }

  /// Whether the snapshot can be read no longer.
  var isEnded: Bool { state.withLock { $0.reader == nil } }

  /// Stops running reads and gives the reader back; later reads throw `closed` or `suspended`.
  ///
  /// - Parameter isLost: whether another snapshot takes the place of this snapshot, because the
  ///   stack is suspended or a read failed. Only the first end counts.
  func end(isLost: Bool = false) {
    let (reader, running) = state.withLock { state in
      if state.reader != nil { state.isLost = isLost }
      defer { state.reader = nil }
      return (state.reader, Array(state.running.values))
    }
    for read in running { read.flag.raise() }
    if let reader { pool.release(reader, of: ObjectIdentifier(self)) }
  }

  /// The reader; nil while a read runs or a cursor is open, and after the snapshot has ended.
  var idleReader: Reader? { state.withLock { $0.idleReader } }

  /// Replaces the reader by a reader that sees the same commit.
  ///
  /// - Returns: the reader that is no longer used; nil, without a change, while a read runs or a
  ///   cursor is open, and after the snapshot has ended.
  func move(to reader: Reader) -> Reader? {
    state.withLock { state in
      guard let old = state.idleReader else { return nil }
      state.reader = reader
      return old
    }
  }

  // MARK: - Holders

  func addHolder(_ holder: SnapshotHold.Holder) -> Int {
    state.withLock { state in
      state.lastHolder += 1
      state.holders.append((state.lastHolder, holder))
      return state.lastHolder
    }
  }

  func removeHolder(_ number: Int) {
    state.withLock { state in state.holders.removeAll { $0.number == number } }
  }

  func renameHolder(_ number: Int, _ name: String?) {
    state.withLock { state in
      for index in state.holders.indices where state.holders[index].number == number {
        state.holders[index].holder.name = name
      }
    }
  }

  /// Returns the holders of the snapshot and its running reads, the oldest first.
  func holders(at now: ContinuousClock.Instant) -> [StackDiagnostics.Holder] {
    let (holders, reads) = state.withLock { state in
      (state.holders.map(\.holder), state.running.values.map(\.since))
    }
    let all =
      holders.map {
        StackDiagnostics.Holder(kind: $0.kind, name: $0.name, age: $0.since.duration(to: now))
      }
      + reads.map {
        StackDiagnostics.Holder(kind: .read, age: $0.map { $0.duration(to: now) } ?? .zero)
      }
    return all.sorted { ($1.age, $0.kind.rawValue) < ($0.age, $1.kind.rawValue) }
  }

  // MARK: - Reading

  /// Counts a cursor that is about to be opened.
  func willOpenCursor() { state.withLock { $0.cursors += 1 } }

  /// Closes a cursor, if it was opened.
  func closeCursor(_ id: CursorID) {
    state.withLock { $0.reader }?.closeCursorLater(id)
    // The count falls after the closing is enqueued, so a later user of the reader runs behind it.
    state.withLock { $0.cursors -= 1 }
  }

  /// Runs `body`, which only reads and may be run again.
  ///
  /// Cancelling the task stops the running statement. A short read runs on the caller's thread,
  /// unless that is the main thread. A read that turns out to be long is stopped and runs again on
  /// the reader's own thread.
  ///
  /// - Parameters:
  ///   - plan: the query that is read. A full-text search does its work inside a few of SQLite's
  ///     instructions, so it would never be stopped as long. It runs on the reader's own thread.
  ///   - isShort: false for a read that is known to be long.
  func read<R: Sendable>(
    _ plan: QueryPlan? = nil, isShort: Bool = true,
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    if isShort, plan?.searches.isEmpty != false, let result = readAtOnce(body) {
      await pool.turns.endTurn()
      return try result.get()
    }
    return try await readOnce(body)
  }

  /// The codes of a read that was stopped, or that came after the end of the snapshot.
  private static let stops: Set<StoreError.Code> = [.cancelled, .closed]

  /// Returns the result of `body`, or the error that ended the snapshot.
  ///
  /// - Returns: nil if the read takes long or fails in a way that a second try may mend, or if
  ///   another read runs.
  func readAtOnce<R: Sendable>(
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) -> Result<R, StoreError>? {
    if Task.isCancelled { return nil }
    let flag = CancellationFlag(deadline: StoreDeadline.current)
    guard let reader = begin(flag) else { return nil }
    defer { end(flag) }
    let result = reader.readIfIdle(flag) { reader, connection throws(StoreError) in
      try keepingPin(reader, connection, body)
    }
    guard case .failure(let error)? = result else { return result }
    return isLost && !Self.stops.contains(error.code) ? result : nil
  }

  /// Runs `body`, and ends the snapshot if that ended the read transaction.
  ///
  /// SQLite rolls a transaction back if a file operation fails. The reader's next statement would
  /// read the newest commit instead of the snapshot's.
  private func keepingPin<R>(
    _ reader: isolated Reader, _ connection: Connection,
    _ body: (isolated Reader, Connection) throws(StoreError) -> R
  ) throws(StoreError) -> R {
    defer {
      if !connection.isInTransaction {
        end(isLost: true)
        pool.didLosePin()
      }
    }
    return try body(reader, connection)
  }

  private func begin(
    _ flag: CancellationFlag, since start: ContinuousClock.Instant? = nil
  ) -> Reader? {
    state.withLock { state in
      if state.reader != nil {
        state.running[ObjectIdentifier(flag)] = Running(flag: flag, since: start)
      }
      return state.reader
    }
  }

  private func end(_ flag: CancellationFlag) {
    _ = state.withLock { $0.running.removeValue(forKey: ObjectIdentifier(flag)) }
  }

  /// Runs `body` once, on the reader's own thread.
  ///
  /// Cancelling the task stops the running statement, or the wait for earlier reads.
  ///
  /// - Parameter isAwaited: whether `body` has always ended when this returns or throws.
  func readOnce<R: Sendable>(
    isAwaited: Bool = false,
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    // The reader could finish before the wait for it notices the cancellation.
    if Task.isCancelled { throw .cancelled }
    let flag = CancellationFlag(deadline: StoreDeadline.current)
    guard let reader = begin(flag, since: .now) else {
      throw isLost ? .suspended : .closed
    }
    do throws(StoreError) {
      let read = reader.enqueue(flag, isAwaited: isAwaited) {
        [self] reader, connection throws(StoreError) in
        try keepingPin(reader, connection, body)
      } then: { [self] in
        end(flag)
      }
      return try await read.value
    } catch {
      pool.options.log.noteFailure(error, StackEvent.readFailed)
      guard !Task.isCancelled, isLost else { throw error }
      // A read that the suspension stopped, or that came too late, is run again on another
      // snapshot.
      throw Self.stops.contains(error.code) ? .suspended : error
    }
  }
}
