import Foundation
import Testing

@testable import Strata
@testable import StrataSQLite

/// A stop of a store's writer, from the initializer to ``release()``.
///
/// The blocking unit runs on the writer's own queue, so no thread of the pool waits.
final class WriterStop: Sendable {
  private let goOn = DispatchSemaphore(value: 0)

  /// Returns when the writer has stopped.
  init(_ stack: Stack) async {
    let goOn = goOn
    await withUnsafeContinuation { stopped in
      _ = stack.store.writer.enqueue(.urgent) { _ in
        stopped.resume()
        goOn.wait()
      }
    }
  }

  func release() { goOn.signal() }
}

/// Yields until the condition holds. Returns false if it does not hold while the process works for 100 seconds of the
/// processor's time, in which other processes of a busy machine have no part.
nonisolated(nonsending) func eventually(_ condition: () async -> Bool) async -> Bool {
  let end = processorTime() + .seconds(100)
  while processorTime() < end {
    if await condition() { return true }
    await Task.yield()
  }
  return await condition()
}

private func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
}

/// Yields a few hundred times, so that ready tasks run.
nonisolated(nonsending) func others() async {
  for _ in 0..<300 { await Task.yield() }
}

/// Returns the error that a call throws, or nil.
nonisolated(nonsending) func failure<R>(
  _ body: nonisolated(nonsending) () async throws -> R
) async -> StoreError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? StoreError
  }
}

extension Connection {
  /// Opens a store's file as another program would.
  convenience init(path: String, _ access: Access = .readOnly) throws(SQLiteError) {
    try self.init(path: path, access: access, busyTimeout: .seconds(5))
  }
}

extension Stack {
  /// The path of the store's file.
  var path: String { get async { store.writer.options.path } }

  /// Returns every row of a query through a second connection, with its cells joined by spaces.
  nonisolated(nonsending) func rows(_ sql: String) async throws -> [String] {
    let connection = try Connection(path: await path)
    let statement = try connection.prepare(sql)
    var rows: [String] = []
    while try statement.step() {
      rows.append(
        (0..<statement.columnCount).map { column in
          statement.isNull(Int32(column)) ? "null" : statement.string(Int32(column))
        }.joined(separator: " "))
    }
    return rows
  }

  /// Writes through a second connection, without counting the commit.
  nonisolated(nonsending) func writeAsAnotherProgram(_ sql: String) async throws {
    try Connection(path: await path, .readWrite).execute(sql)
  }

  /// Saves the edits as one commit, without waiting for the view context.
  @discardableResult
  nonisolated(nonsending) func commit(
    _ policy: SavePolicy = .error, _ edit: (ScratchContext) -> Void
  ) async throws -> Int64 {
    let scratch = makeScratch()
    edit(scratch)
    return try await scratch.save(policy)
  }
}

extension ScratchContext {
  /// Starts saving a batch as an import does.
  func save(_ batch: RecordBatch) -> BatchSave? {
    batchTarget(author: "import")?.save(batch, ImportTarget.Saving())
  }
}

extension Writer {
  /// Rolls back a transaction with a statement that fails, so that the writer gives up its
  /// connection.
  nonisolated func failRollback() async throws {
    try await enqueue(.urgent) { writer throws(StoreError) in
      let connection = try writer.connection
      try connection.run("BEGIN")
      let broken = try connection.prepared("SELECT abs(-9223372036854775807 - 1)")
      connection.cache.add(broken, for: Writer.rollback)
      writer.file.rollBack(connection)
    }.value
  }
}
