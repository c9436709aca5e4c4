internal import StrataSQLite

// The write-back and the restart of the write-ahead log, by ``CheckpointRule``.

extension Writer {
  /// Writes the log back past half of its limit; past the limit, commits wait.
  func checkLog() {
    guard let connection = file.connection, merge.pull.state != .unopened else { return }
    let frames = connection.logFrames
    if options.log.isUsed, let bytes = log.lengthToReport(frames: frames) {
      options.log.note(
        .logRetained(bytes: bytes, snapshots: pool.load.snapshots.filter { $0.commit < commit }))
    }
    let isDemanded = !counter.mark.isInFile && file.lacksSession(connection, counter.mark)
    switch log.didCommit(frames: frames, isDemanded: isDemanded) {
    case .nothing: break
    case .hold: queue.hold(for: log.patience)
    case .writeBack:
      checkpointer.writeBack(to: file.id, with: file.checksMark ? counter.mark : nil) {
        [weak self, executor] in
        executor.async { [weak self] in self?.assumeIsolated { $0.didWriteBack() } }
      }
    }
  }

  /// Begins a session before the first transaction, and writes it back into the file.
  ///
  /// The snapshots of the newest commit move to read transactions that see the session. The file
  /// cannot be written while they read the file alone.
  func tieLog(_ connection: Connection) throws(StoreError) {
    guard file.needsSession, !log.isWritingBack else { return }
    guard let mark = try file.beginSession(connection, counter) else { return }
    counter.didWrite(mark)
    if pool.isAtRest(at: commit) {
      pool.moveSnapshots(at: commit, schemaVersion: file.schemaVersion)
    }
    // A failure loses nothing. The write-back is then due after the transaction.
    _ = try? connection.checkpointPassively()
    if !file.lacksSession(connection, mark) { counter.didReachFile() }
  }

  /// Checks the file's place before a commit, and notes in the store that the session is in the file.
  ///
  /// - Returns: the mark that the transaction writes; nil if it writes none.
  func noteTie(_ connection: Connection) throws(StoreError) -> LogMark? {
    guard try file.checkPlace(of: connection, counter.mark), file.checksMark else { return nil }
    counter.didReachFile()
    if counter.mark.isNoted { return nil }
    try StoredCommit.write(counter.mark.noted, connection)
    return counter.mark.noted
  }

  /// Restarts the log if the view context has merged everything; otherwise lets commits wait for
  /// that.
  private func didWriteBack() {
    log.didWriteBack()
    if file.connection == nil { return }
    if merge.pull.state == .unread { return restartLogIfDue() }
    if !merge.isAtRest { queue.hold(for: log.patience) }
    offerMergeStep()
  }

  /// Restarts the log if that is due; called while the view context has merged everything.
  func restartLogIfDue() {
    guard merge.pull.isOpen, log.endAttempt() else { return }
    // Pinned snapshots of the newest commit do not keep the log from being written back. A checkpoint
    // that fails loses nothing: the log still has every frame.
    if pool.isAtRest(at: commit), let connection = file.connection, isTied(connection),
      let log = try? connection.checkpointPassively(), log.done == log.frames
    {
      pool.moveSnapshots(at: commit, schemaVersion: file.schemaVersion)
    }
    queue.endHold()
  }
}
