extension Writer {
  /// Returns the next step for the view context once it is due; nil when the stack closes.
  func nextMergeStep() async -> MergeStep? {
    if merge.isClosed { return nil }
    if !merge.isDue { restartLogIfDue() }
    if merge.isDue, let step = makeMergeStep() { return step }
    let waiter = MergeFeed.Waiter()
    merge.wait(waiter)
    return await waiter.value
  }

  /// Starts the view context's reading of the change log, at a snapshot of the newest commit.
  func beginMerging() throws(StoreError) -> Snapshot {
    let snapshot = try snapshot()
    catchUp(with: snapshot)
    merge.begin(at: snapshot)
    return snapshot
  }

  /// Notes that the stack has no view context.
  ///
  /// - Returns: the number of the newest commit.
  func beginWithoutView() -> Int64 {
    merge.beginWithoutView()
    return commit
  }

  /// Saves the view context's layer; the merge step that has the commit also has the save.
  func saveView(
    _ layer: Layer, save: Int, policy: SavePolicy, author: String? = nil
  ) throws(StoreError) -> Int64 {
    let report = try saveReporting(layer, policy: policy, author: author)
    merge.saveEnded(CompletedSave(id: save, report: report))
    answerMergePull()
    return report.commit
  }

  /// Gives the view context a merge turn, even without a commit.
  func wakeMerge() {
    merge.wake()
    answerMergePull()
  }

  /// Answers a waiting view context, between transactions.
  func answerMergePull() {
    guard let waiter = merge.dueWaiter, let step = makeMergeStep() else { return }
    waiter.resume(returning: step)
  }

  private func makeMergeStep() -> MergeStep? {
    guard merge.hasBegun else { return nil }
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
      retryMergePull()
      return nil
    }
    // The pin may see commits of another process that are not published yet.
    catchUp(with: snapshot)
    return merge.step(to: snapshot)
  }

  private func retryMergePull() {
    guard merge.didFail() else { return }
    afterMoment { writer in
      writer.merge.beginRetry()
      writer.answerMergePull()
    }
  }

  func endMergePull() { merge.close()?.resume(returning: nil) }
}
