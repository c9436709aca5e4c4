/// A save of the view context that is in the store.
struct CompletedSave: Sendable {
  let id: Int
  /// What the writer wrote, rows that delete rules touched included.
  let changes: [TableID: TableChanges]
}

/// What the view context gets at each merge turn: everything committed since the last one.
struct MergeStep: Sendable {
  /// What was committed, oldest first; empty if only the snapshot is new.
  let changes: [ChangeSet]
  /// The store right after the newest of them.
  let snapshot: Snapshot
  /// The newest save of the view context that is in the snapshot.
  let completedSave: CompletedSave?
  /// Why there is nothing newer, for good; the snapshot is the one before.
  var failure: StoreError?
}

/// Whether and why the view context should be woken.
///
/// resting ─commit, finished save, wake→ due ─pull→ resting;
/// resting ─pull→ waiting ─any of these→ answered at once; any ─close→ closed
/// While the store is suspended nothing is due.
struct MergePull: Sendable {
  var cursor: ChangeLog.Cursor?
  var waiter: UnsafeContinuation<MergeStep?, Never>?
  /// The newest finished save of the view context that it has not been told of.
  var completedSave: CompletedSave?
  /// A save of the view context is under way: its commit and its end are told together.
  var heldBack = false
  /// Somebody asked for a turn although nothing was committed.
  var isWoken = false
  var isClosed = false
  /// The store is suspended: there is nothing to pin.
  var isSuspended = false
  /// The tables were changed by another program: nothing will ever be pinned again.
  var isStuck = false
  /// The snapshot of the newest step.
  weak var snapshot: Snapshot?
}

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
      if error.code == .schemaChanged, let snapshot = merge.snapshot {
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

  /// What was committed under other tables is never read: the view context stays where it is.
  private func makeLastStep(_ snapshot: Snapshot, _ failure: StoreError) -> MergeStep {
    options.log.note(.schemaChanged)
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
