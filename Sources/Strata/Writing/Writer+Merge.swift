extension Writer {
  /// The next step for the view context, once there is one; nil when the stack closes.
  func nextMergeStep() async -> MergeStep? {
    if merge.state == .closed { return nil }
    if !isMergeDue { restartLogIfDue() }
    if isMergeDue, let step = makeMergeStep() { return step }
    return await withUnsafeContinuation { merge.wait($0) }
  }

  /// Starts the view context's reading of the log, at a snapshot of this very commit.
  func beginMerging() throws(StoreError) -> Snapshot {
    let snapshot = try snapshot()
    catchUp(with: snapshot)
    mergeCursor = publisher.addCursor()
    mergedSnapshot = snapshot
    merge.begin()
    return snapshot
  }

  /// Saves the view context's layer; the merge step that has it says so.
  func saveView(
    _ layer: Layer, save: Int, policy: SavePolicy, author: String? = nil
  ) throws(StoreError) -> Int64 {
    merge.saveBegan()
    var completed: CompletedSave?
    defer {
      merge.saveEnded(completed)
      answerMergePull()
    }
    let report = try saveReporting(layer, policy: policy, author: author)
    completed = CompletedSave(id: save, report: report)
    return report.commit
  }

  /// Gives the view context a turn even if nothing is committed.
  func wakeMerge() {
    merge.wake()
    answerMergePull()
  }

  private var hasUnreadCommits: Bool { mergeCursor.map(publisher.hasUnread) == true }

  private var isMergeDue: Bool { merge.isDue(hasUnread: hasUnreadCommits) }

  /// Whether the view context has merged everything and waits.
  var isMergeAtRest: Bool { merge.isAtRest(hasUnread: hasUnreadCommits) }

  /// Answers a waiting view context, between transactions.
  func answerMergePull() {
    guard let waiter = merge.answer(hasUnread: hasUnreadCommits), let step = makeMergeStep() else {
      return
    }
    waiter.resume(returning: step)
  }

  private func makeMergeStep() -> MergeStep? {
    guard var cursor = mergeCursor else { return nil }
    let snapshot: Snapshot
    do throws(StoreError) { snapshot = try self.snapshot() } catch {
      if [.schemaChanged, .notADatabase].contains(error.code), let mergedSnapshot {
        return makeLastStep(mergedSnapshot, error)
      }
      // No file descriptor, perhaps; a save or a fetch waits for this turn.
      retryMergePull()
      return nil
    }
    mergedSnapshot = snapshot
    // The pin saw commits of another process that this one has not accounted for.
    catchUp(with: snapshot)
    let changes = publisher.read(&cursor)
    mergeCursor = cursor
    defer { merge.didStep(.commits) }
    return MergeStep(changes: changes, snapshot: snapshot, completedSave: merge.completedSave)
  }

  /// What was committed under other tables, or in a file that is damaged, is never read: the view
  /// context stays where it is.
  private func makeLastStep(_ snapshot: Snapshot, _ failure: StoreError) -> MergeStep {
    options.log.note(failure.code == .schemaChanged ? .schemaChanged : .readFailed(failure))
    defer { merge.didStep(.nothing) }
    return MergeStep(
      changes: [], snapshot: snapshot, completedSave: merge.completedSave, failure: failure)
  }

  func endMergePull() { merge.close()?.resume(returning: nil) }
}
