internal import StrataSQLite

extension Writer {
  /// Lets queued units finish, ends every snapshot and closes every connection, the writer's last.
  ///
  /// What is queued from now on waits for ``resume()``.
  nonisolated func suspend() async {
    queue.suspend()
    await afterQueuedWork { $0.merge.suspend() }
    await pool.suspend()
    await checkpointer.close()
    await afterQueuedWork { $0.closeConnection() }
  }

  private func closeConnection() {
    guard openConnection != nil || hasLostConnection else { return }
    suspendedFile = openConnection.flatMap(writeBack)
    openConnection = nil
    endSignalling()
    hasLostConnection = false
  }

  /// What cannot be read or written back now is met when the file is opened again.
  ///
  /// - Returns: the files, if they have what was noted and nothing else.
  private func writeBack(_ connection: Connection) -> FileState? {
    // Somebody may write meanwhile, which takes as long as the disk does.
    for _ in 0..<3 {
      try? inOneState(of: connection) { () throws(StoreError) in
        _ = try noteForeignCommits(connection)
      }
      _ = try? connection.checkpointPassively()
      // What comes after this look changes the files.
      let files = FileState(ofDatabaseAt: options.path)
      if (try? storedDataVersion(connection)) == dataVersion { return files }
    }
    return nil
  }

  /// Opens the file again; on failure everything stays as it was.
  nonisolated func resume() async throws(StoreError) {
    let reopened = Promise<Void>()
    await afterQueuedWork { writer in
      do throws(StoreError) { reopened.resolve(.success(try writer.reopen())) } catch {
        reopened.resolve(.failure(error))
      }
    }
    try await reopened.value
    queue.resume()
  }

  private func reopen() throws(StoreError) {
    do throws(StoreError) {
      let connection = try reopenConnection()
      openConnection = connection
      // A reader that cannot be opened is noticed here rather than by the first fetch.
      _ = try snapshot()
      try inOneState(of: connection) { () throws(StoreError) in
        _ = try noteForeignCommits(connection)
      }
    } catch {
      openConnection = nil
      throw error
    }
    pool.resume()
    beginSignalling()
    merge.resume()
    answerMergePull()
  }

  /// Opens the file that was open before; nothing else changes if that is not possible.
  func reopenConnection() throws(StoreError) -> Connection {
    let connection: Connection
    let application: Int64?
    do throws(SQLiteError) {
      connection = try options.connection(.existing)
      application = try connection.integer("PRAGMA application_id")
    } catch {
      throw StoreError(error, path: options.path)
    }
    guard application == StoreFormat.applicationID else { throw replaced }
    try checkSchema(connection)
    guard try HistoryFormat.identity(connection) == identity, try storedCommit(connection) >= commit
    else { throw replaced }
    // From here on the connection notices what others write, and before the file says so.
    let version = try storedDataVersion(connection)
    let isSame = suspendedFile.map(FileState(ofDatabaseAt: options.path).isUnchanged(since:))
    dataVersion = isSame == true ? version : -1
    return connection
  }

  private var replaced: StoreError {
    StoreError(
      .replaced, "another file is in the store's place (\(options.path))",
      advice: "close the stack and open it again, or put the file back and resume again")
  }

  /// Runs `work` on the writer after everything that is queued, and waits for it.
  nonisolated func afterQueuedWork(_ work: @escaping @Sendable (isolated Writer) -> Void) async {
    let done = Promise<Void>()
    executor.async {
      self.assumeIsolated(work)
      done.resolve(.success(()))
    }
    try? await done.value
  }
}
