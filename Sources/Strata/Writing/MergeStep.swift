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
