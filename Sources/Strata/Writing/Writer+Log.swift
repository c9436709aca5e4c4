internal import StrataSQLite

// The write-ahead log: when it is written back and started again, by ``CheckpointRule``.

extension Writer {
  /// Looks at the log's length after a commit; past half of the limit it is written
  /// back, past all of it commits wait.
  func checkLog() {
    guard let connection = openConnection, merge.state != .unopened else { return }
    if options.log.isUsed { noteGrowth(frames: connection.logFrames) }
    switch checkpoints.didCommit(frames: connection.logFrames) {
    case .nothing: break
    case .hold: queue.hold(for: logPatience)
    case .writeBack:
      checkpointer.writeBack { [weak self, executor] in
        executor.async { [weak self] in self?.assumeIsolated { $0.didWriteBack() } }
      }
    }
  }

  private func noteGrowth(frames: Int) {
    guard logGrowth.isNews(frames: frames) else { return }
    options.log.note(
      .logKept(
        bytes: frames * (4096 + Connection.frameHeaderSize),
        snapshots: pool.load.snapshots.filter { $0.commit < commit }))
  }

  /// Commits wait for the view context to come to rest, unless it does.
  private func didWriteBack() {
    checkpoints.didWriteBack()
    if openConnection == nil { return }
    if isMergeAtRest {
      restartLogIfDue()
      answerMergePull()
    } else {
      queue.hold(for: logPatience)
    }
  }

  /// Starts the log again if that is due: the view context has merged everything and waits.
  func restartLogIfDue() {
    guard checkpoints.isDue, merge.state == .open(.commits) else { return }
    checkpoints.endAttempt()
    let isWhole = pool.withoutPins(at: commit, schemaVersion: schemaVersion) {
      // A checkpoint that fails loses nothing: the log still has every frame.
      _ = try? openConnection?.checkpointPassively()
    }
    if !isWhole { merge.wake() }
    queue.endHold()
  }
}
