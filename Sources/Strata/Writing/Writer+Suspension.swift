internal import StrataSQLite

extension Writer {
  /// Refuses new work, lets queued work finish, then closes the connection.
  nonisolated func close() async {
    queue.close()
    // The executor is first in, first out: every queued unit has a ticket in front of this call.
    await endMerging()
    await pool.close()
    await checkpointer.close()
    await closeForGood()
  }

  private func closeForGood() {
    writeBackLast { connection in
      if !options.isReadOnly { _ = try? connection.checkpointPassively() }
    }
    file.close()
    settleLog()
    announcer.end()
  }

  /// Writes the log back before the last connection closes, which removes the log.
  ///
  /// A stack that only reads removes no log that has commits.
  ///
  /// A log that does not belong to the file stays as it is.
  private func writeBackLast(_ writeBack: (Connection) -> Void) {
    guard let connection = file.connection else { return }
    if options.isReadOnly {
      writeBack(connection)
      return options.willClose(connection)
    }
    guard isTied(connection) else { return }
    writeBack(connection)
    // A file that was moved away gets the log, too, but the log at the path is not to be touched.
    if !connection.hasMoved { connection.leaveLog(false) }
  }

  /// Returns whether the log belongs to the contents of the file.
  func isTied(_ connection: Connection) -> Bool {
    if !file.checksMark { return true }
    do throws(StoreError) {
      var mark = counter.mark
      if try !counter.isCurrent(connection) {
        // Another process may have begun a session since the last look.
        let newest = try StoredCommit.readMarked(connection).mark
        if newest.session != mark.session { mark = newest }
        mark.isInFile = true
      }
      return try mark.isTied(toFileOf: connection, at: options.path)
    } catch {
      return false
    }
  }

  /// Sets aside a log or a journal that was left beside a file to which it does not belong.
  ///
  /// If that is not possible now, the next opening does it.
  private func settleLog() {
    if options.isReadOnly { return }
    let urls = try? LogBeside(of: options.path).settle(for: .zero, at: options.settings.now())
    for url in urls ?? [] { options.log.note(.logSetAside(url)) }
  }

  /// Lets queued units finish, ends every snapshot and closes every connection, the writer's last.
  ///
  /// Units that are queued from now on wait for ``resume()``.
  nonisolated func suspend() async {
    queue.suspend()
    await suspendMerging()
    await pool.close(isSuspension: true)
    await checkpointer.close()
    await closeFile()
  }

  private func suspendMerging() { merge.pull.suspend() }

  private func closeFile() {
    guard file.connection != nil || file.isLost else { return }
    var files: FileState?
    writeBackLast { files = writeBack($0) }
    file.suspend(leaving: files)
    settleLog()
    announcer.end()
  }

  /// Writes the log back; a failure shows when the file is opened again.
  ///
  /// - Returns: the files; nil unless every commit in them is accounted for.
  private func writeBack(_ connection: Connection) -> FileState? {
    // The write-back takes as long as the disk does, and another process may write meanwhile.
    for _ in 0..<3 {
      try? inOneState(of: connection) { () throws(StoreError) in
        try noteForeignCommits(connection)
      }
      if !options.isReadOnly { _ = try? connection.checkpointPassively() }
      // A commit after this look changes the files.
      let files = FileState(ofDatabaseAt: options.path)
      if (try? counter.isCurrent(connection)) == true { return files }
    }
    return nil
  }

  /// Opens the file again; on failure everything stays as it was.
  nonisolated func resume() async throws(StoreError) {
    try await reopen()
    queue.resume()
  }

  private func reopen() throws(StoreError) {
    do throws(StoreError) {
      let connection = try reopenFile()
      // A reader that cannot be opened is noticed here rather than by the first fetch.
      _ = try snapshot()
      try inOneState(of: connection) { () throws(StoreError) in
        try noteForeignCommits(connection)
      }
    } catch {
      file.close()
      throw error
    }
    pool.resume()
    beginSignalling()
    merge.pull.resume()
    offerMergeStep()
  }

  /// Opens the file that was open before; nothing changes if that is not possible.
  func reopenFile() throws(StoreError) -> Connection {
    do throws(StoreError) {
      let (connection, version, isUnchanged) = try file.reopen(after: commit)
      counter.didReopen(at: version, isUnchanged: isUnchanged)
      return connection
    } catch {
      if error.code == .schemaChanged { didFindOtherTables() }
      throw error
    }
  }
}
