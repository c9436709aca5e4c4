internal import StrataSQLite

/// The store exactly as it was after one commit, for as long as somebody holds this.
///
/// Reads run one after the other on the snapshot's own reader. Letting go of the last reference
/// gives the reader back without blocking.
final class Snapshot: Sendable {
  /// The number of the commit, read through the pin itself.
  let commit: Int64
  private let pool: ReaderPool
  private let state: Lock<State>

  /// Why a snapshot ends before it is let go of.
  enum End: Sendable {
    /// The stack is closed.
    case closed
    /// The stack is suspended, or another process has moved the store on: there will be another
    /// snapshot.
    case lost

    var error: StoreError {
      switch self {
      case .closed: .closed
      case .lost: .suspended
      }
    }
  }

  private struct State: Sendable {
    /// Nil once the snapshot has ended.
    var reader: Reader?
    var end: End?
    var running: [ObjectIdentifier: Running] = [:]
    var cursors = 0
    /// Few, and most often one.
    var holders: [(number: Int, holder: SnapshotHold.Holder)] = []
    var lastHolder = 0
  }

  /// A read that has not ended.
  private struct Running: Sendable {
    let flag: CancellationFlag
    /// Nil for one on the caller's thread, which is too short to ask the clock for it.
    let since: ContinuousClock.Instant?
  }

  init(commit: Int64, reader: Reader, pool: ReaderPool) {
    self.commit = commit
    self.pool = pool
    state = Lock(State(reader: reader))
  }

  deinit { end(.closed) }

  /// Whether another snapshot has to take this one's place.
  var isLost: Bool { state.withLock { $0.end == .lost } }

  /// Stops what runs and gives the reader back; later reads throw why.
  func end(_ end: End) {
    let (reader, running) = state.withLock { state in
      defer { state.reader = nil }
      state.end = state.end ?? end
      return (state.reader, Array(state.running.values))
    }
    for read in running { read.flag.raise() }
    if let reader { pool.release(reader, of: ObjectIdentifier(self)) }
  }

  /// The reader, if nothing is being read, now or by a cursor, and the snapshot has not ended.
  var idleReader: Reader? {
    state.withLock { $0.running.isEmpty && $0.cursors == 0 ? $0.reader : nil }
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

  /// Who keeps the snapshot, and what is being read from it: the oldest first.
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
    // Whoever finds the reader idle from now on comes after the closing.
    state.withLock { $0.cursors -= 1 }
  }

  /// Runs `body`, which only reads and may be run again; cancelling the task stops the statement
  /// that runs.
  ///
  /// What is short runs where the caller does, unless that is the main actor. What turns out to be
  /// long is stopped and run again on the reader's own thread.
  ///
  /// - Parameters:
  ///   - plan: the query that is read. A search of full text does its work inside of a few of
  ///     SQLite's instructions, so it never turns out to be long.
  ///   - isShort: false for what is known to be long.
  func read<R: Sendable>(
    _ plan: QueryPlan? = nil, isShort: Bool = true,
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    if isShort, plan?.searches.isEmpty != false, let result = readAtOnce(body) { return result }
    return try await readOnce(body)
  }

  /// What `body` reads; nil if that takes long or fails, or something else is being read.
  func readAtOnce<R: Sendable>(
    _ body: @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) -> R? {
    if Task.isCancelled { return nil }
    let flag = CancellationFlag(deadline: StoreDeadline.current)
    guard let reader = begin(flag) else { return nil }
    defer { end(flag) }
    guard case .success(let value)? = reader.readIfIdle(flag, body) else { return nil }
    return value
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

  /// Runs `body` once, on the reader; cancelling the task stops the statement that runs, or the
  /// wait for another one's.
  func readOnce<R: Sendable>(
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    // The reader could be done before the wait for it notices.
    if Task.isCancelled { throw .cancelled }
    let flag = CancellationFlag(deadline: StoreDeadline.current)
    guard let reader = begin(flag, since: .now) else {
      throw (state.withLock { $0.end } ?? .closed).error
    }
    do throws(StoreError) {
      return try await reader.enqueue(flag, body) { [self] in end(flag) }.value
    } catch {
      pool.log.noteFailure(error, StackEvent.readFailed)
      guard !Task.isCancelled, isLost else { throw error }
      // What the suspension stopped, or came too late for, is run again on another snapshot.
      throw [.cancelled, .closed].contains(error.code) ? .suspended : error
    }
  }
}
