extension Writer {
  /// The next step for the view context, once there is one; nil when the stack closes.
  func nextMergeStep() async -> MergeStep? {
    if merge.isClosed { return nil }
    if !isMergeDue { restartLogIfDue() }
    if isMergeDue, let step = makeMergeStep() { return step }
    return await withUnsafeContinuation { merge.waiter = $0 }
  }

  /// Starts the view context's reading of the log, at a snapshot of this very commit.
  func beginMerging() throws(StoreError) -> Snapshot {
    let snapshot = try snapshot()
    catchUp(with: snapshot)
    merge.cursor = publisher.addCursor()
    merge.snapshot = snapshot
    return snapshot
  }

  /// Saves the view context's layer; the merge step that has it says so.
  func saveView(
    _ layer: Layer, save: Int, policy: SavePolicy, author: String? = nil
  ) throws(StoreError) -> Int64 {
    merge.heldBack = true
    defer {
      merge.heldBack = false
      answerMergePull()
    }
    let (commit, changes) = try saveReporting(layer, policy: policy, author: author)
    merge.completedSave = CompletedSave(id: save, changes: changes)
    return commit
  }

  /// Gives the view context a turn even if nothing is committed.
  func wakeMerge() {
    merge.isWoken = true
    answerMergePull()
  }

  private var isMergeDue: Bool {
    !merge.isSuspended
      && (merge.isWoken || merge.completedSave != nil
        || !merge.isStuck && merge.cursor.map(publisher.hasUnread) == true)
  }

  /// Whether the view context has merged everything and waits.
  var isMergeAtRest: Bool { merge.waiter != nil && !isMergeDue }

  /// Answers a waiting view context, between transactions.
  func answerMergePull() {
    guard !merge.heldBack, isMergeDue, let waiter = merge.waiter, let step = makeMergeStep() else {
      return
    }
    merge.waiter = nil
    waiter.resume(returning: step)
  }

  private func makeMergeStep() -> MergeStep? {
    guard var cursor = merge.cursor else { return nil }
    let snapshot: Snapshot
    do throws(StoreError) { snapshot = try self.snapshot() } catch {
      if [.schemaChanged, .notADatabase].contains(error.code), let snapshot = merge.snapshot {
        return makeLastStep(snapshot, error)
      }
      // No file descriptor, perhaps; a save or a fetch waits for this turn.
      retryMergePull()
      return nil
    }
    merge.snapshot = snapshot
    // The pin saw commits of another process that this one has not accounted for.
    catchUp(with: snapshot)
    let changes = publisher.read(&cursor)
    merge.cursor = cursor
    defer {
      merge.completedSave = nil
      merge.isWoken = false
    }
    return MergeStep(changes: changes, snapshot: snapshot, completedSave: merge.completedSave)
  }

  /// What was committed under other tables, or in a file that is damaged, is never read: the view
  /// context stays where it is.
  private func makeLastStep(_ snapshot: Snapshot, _ failure: StoreError) -> MergeStep {
    options.log.note(failure.code == .schemaChanged ? .schemaChanged : .readFailed(failure))
    defer {
      merge.isStuck = true
      merge.completedSave = nil
      merge.isWoken = false
    }
    return MergeStep(
      changes: [], snapshot: snapshot, completedSave: merge.completedSave, failure: failure)
  }

  func endMergePull() {
    merge.isClosed = true
    merge.waiter?.resume(returning: nil)
    merge.waiter = nil
  }
}
