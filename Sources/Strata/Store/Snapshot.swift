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

  private struct State: Sendable {
    /// Nil once the snapshot has ended.
    var reader: Reader?
    var running: [ObjectIdentifier: CancellationFlag] = [:]
  }

  init(commit: Int64, reader: Reader, pool: ReaderPool) {
    self.commit = commit
    self.pool = pool
    state = Lock(State(reader: reader))
  }

  deinit { end() }

  /// Stops what runs and gives the reader back; later reads throw `closed`.
  func end() {
    let (reader, running) = state.withLock { state in
      defer { state.reader = nil }
      return (state.reader, Array(state.running.values))
    }
    for flag in running { flag.raise() }
    if let reader { pool.release(reader, of: ObjectIdentifier(self)) }
  }

  /// The reader, if nothing is being read and the snapshot has not ended.
  var idleReader: Reader? { state.withLock { $0.running.isEmpty ? $0.reader : nil } }

  /// Runs `body` on the reader; cancelling the task stops the statement that runs.
  func read<R: Sendable>(
    _ body: @escaping @Sendable (isolated Reader, Connection) throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    let flag = CancellationFlag()
    let name = ObjectIdentifier(flag)
    let reader = state.withLock { state in
      if state.reader != nil { state.running[name] = flag }
      return state.reader
    }
    guard let reader else { throw .closed }
    defer { _ = state.withLock { $0.running.removeValue(forKey: name) } }
    let result: Result<R, StoreError> = await withTaskCancellationHandler {
      do throws(StoreError) { return .success(try await reader.read(flag, body)) } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.raise()
    }
    return try result.get()
  }
}
