internal import StrataSQLite

/// Writes the log back into the database file beside the writer.
///
/// SQLite lets one connection write back while another commits. That waits for the disk, twice, and
/// takes longer than anything else that a store does: the writer is left with what was committed
/// meanwhile.
actor Checkpointer {
  private nonisolated let executor = StoreExecutor("strata.checkpoint")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let options: StoreOptions
  /// Opened when it is first needed.
  private var connection: Connection?

  init(_ options: StoreOptions) { self.options = options }

  /// Writes back what it can, then runs `done` on this actor's executor.
  nonisolated func writeBack(then done: @escaping @Sendable () -> Void) {
    executor.async {
      self.assumeIsolated { $0.writeBackNow() }
      done()
    }
  }

  /// What fails loses nothing: the log still has every frame.
  private func writeBackNow() {
    do throws(SQLiteError) {
      if connection == nil { connection = try options.connection(.existing) }
      _ = try connection?.checkpointPassively()
    } catch {
      options.log.note(.checkpointFailed(StoreError(error, path: options.path)))
    }
  }

  /// Closes the connection, until the log is written back again.
  nonisolated func close() async {
    let closed = Promise<Void>()
    executor.async {
      self.assumeIsolated { $0.connection = nil }
      closed.resolve(.success(()))
    }
    try? await closed.value
  }
}
