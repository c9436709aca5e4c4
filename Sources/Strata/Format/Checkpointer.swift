internal import StrataSQLite

/// Writes the log back into the database file beside the writer.
///
/// SQLite lets one connection write back while another connection commits. A write-back waits for
/// the disk twice and takes longer than anything else that a store does. With this actor, only the
/// commits made meanwhile are left for the writer to write back.
actor Checkpointer {
  private nonisolated let executor = StoreExecutor("strata.checkpoint")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let options: StoreOptions
  /// The connection, which is opened when it is first needed.
  private var connection: Connection?

  init(_ options: StoreOptions) { self.options = options }

  /// Writes back as many frames as possible, then runs `done` on this actor's executor.
  ///
  /// - Parameters:
  ///   - file: the writer's file.
  ///   - mark: the mark of the log, which that file must have; nil to compare none.
  nonisolated func writeBack(
    to file: FileStatus.ID?, with mark: LogMark?, then done: @escaping @Sendable () -> Void
  ) {
    executor.async {
      self.assumeIsolated { $0.writeBackNow(to: file, with: mark) }
      done()
    }
  }

  /// Writes the log back. A failure loses nothing, because the log still has every frame.
  private func writeBackNow(to file: FileStatus.ID?, with mark: LogMark?) {
    do throws(StoreError) {
      if connection == nil { connection = try options.connection(.existing, of: file) }
      guard let connection,
        try mark?.isTied(toFileOf: connection, at: options.path) != false
      else { return }
      _ = try translatingErrors { () throws(SQLiteError) in try connection.checkpointPassively() }
    } catch {
      options.log.note(.checkpointFailed(error.at(options.path)))
    }
  }

  /// Closes the connection; the next write-back opens a new one.
  func close() { connection = nil }
}
