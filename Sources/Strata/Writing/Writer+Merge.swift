internal import StrataSQLite

extension Writer {
  /// Starts the view context's reading of the change log, at a snapshot of the newest commit.
  ///
  /// - Parameter show: brings the view context to a step, and opens the gate when it shows the step.
  func beginMerging(_ show: @escaping @Sendable (MergeStep) -> Void) throws(StoreError) -> Snapshot
  {
    let snapshot = try snapshot()
    catchUp(with: snapshot)
    merge.begin(at: snapshot, show)
    return snapshot
  }

  /// Notes that the stack has no view context.
  ///
  /// - Returns: the number of the newest commit.
  func beginWithoutView() -> Int64 {
    merge.pull.beginWithoutView()
    return commit
  }

  /// Saves the view context's layer; the merge step that has the commit also has the save.
  func saveView(
    _ layer: Layer, save: Int, policy: SavePolicy, author: String? = nil
  ) throws(StoreError) -> Int64 {
    let report = try saveReporting(layer, policy: policy, author: author)
    merge.pull.saveEnded(CompletedSave(id: save, report: report))
    offerMergeStep()
    return report.commit
  }

  /// Gives the view context a merge turn, even without a commit.
  func wakeMerge() {
    merge.pull.wake()
    offerMergeStep()
  }

  /// Gives the view context a merge turn after the current work, even without a commit.
  nonisolated func wakeMergeSoon() {
    executor.async { [weak self] in self?.assumeIsolated { $0.wakeMerge() } }
  }

  /// Gives the view context a step if one is due, as soon as it shows the step before.
  ///
  /// Between two steps a log that is due is restarted.
  func offerMergeStep() {
    let restarts = merge.pull.state == .open(.commits) && log.isRestartDue
    if !restarts {
      switch merge.pull.move(hasUnread: merge.hasUnread) {
      case .none: return
      case .askAgain(after: let pause): return offerMergeStep(after: pause)
      case .step: break
      }
    }
    guard takeGate() else { return }
    if !merge.isDue { restartLogIfDue() }
    guard merge.isDue, let step = makeMergeStep() else { return mergeGate.open() }
    merge.show(step)
    if log.isRestartDue { offerMergeStep() }
  }

  private func offerMergeStep(after pause: Duration) {
    executor.async(after: pause) { [weak self] in
      self?.assumeIsolated { writer in
        writer.merge.pull.beginAsking()
        writer.offerMergeStep()
      }
    }
  }

  /// Ends a pause between steps, because somebody waits for the next step.
  nonisolated func endMergePause() {
    guard mergeGate.endPause() else { return }
    executor.async { [weak self] in
      self?.assumeIsolated { writer in
        writer.merge.pull.endPause()
        writer.offerMergeStep()
      }
    }
  }

  /// Takes the gate; if it is taken, a step is offered again when it opens.
  private func takeGate() -> Bool {
    mergeGate.take(for: .writer) { [weak self, executor] in
      executor.async { [weak self] in self?.assumeIsolated { $0.offerMergeStep() } }
    }
  }

  private func makeMergeStep() -> MergeStep? {
    let snapshot: Snapshot
    do throws(StoreError) { snapshot = try self.snapshot() } catch {
      // Commits with other tables, in a damaged file or in another file are never read. The view
      // context stays at its commit.
      if [.schemaChanged, .notADatabase, .replaced].contains(error.code),
        let step = merge.lastStep(error)
      {
        options.log.note(error.code == .schemaChanged ? .schemaChanged : .readFailed(error))
        return step
      }
      // The process may have no file descriptor left. A save or a fetch waits for this turn, so the
      // step is tried again.
      retryMergeStep()
      return nil
    }
    // The pin may see commits of another process that are not published yet.
    catchUp(with: snapshot)
    return merge.step(to: snapshot)
  }

  private func retryMergeStep() {
    guard merge.pull.didFail() else { return }
    afterMoment { writer in
      writer.merge.pull.beginRetry()
      writer.offerMergeStep()
    }
  }

  func endMerging() { merge.close() }
}
