/// The commits between two merge turns, as the writer hands them to the view context.
struct MergeStep: Sendable {
  /// The change sets of the commits, oldest first; empty if only the snapshot is new.
  let changes: [ChangeSet]
  /// The store right after the newest commit.
  let snapshot: Snapshot
  /// The newest save of the view context that is in the snapshot.
  let completedSave: CompletedSave?
  /// The error after which no newer commit can be read; the snapshot is that of the step before.
  var failure: StoreError?
}
