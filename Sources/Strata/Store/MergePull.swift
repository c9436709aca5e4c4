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
  /// A turn that could not be made is tried again in a moment.
  var isRetried = false
  /// The tables were changed by another program: nothing will ever be pinned again.
  var isStuck = false
  /// The snapshot of the newest step.
  weak var snapshot: Snapshot?
}
