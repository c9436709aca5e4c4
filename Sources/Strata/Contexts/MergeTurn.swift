/// The content of one merge turn of the view context.
struct MergeTurn: Sendable {
  let snapshot: Snapshot
  let changes: ChangeSet?
  let completedSave: CompletedSave?
  let updates: [LiveID: MaintainedUpdate]
  /// The store's rows for keys that the view context has edited, in tables that were reset.
  var stored: [TableID: [RecordKey: RecordState]] = [:]
  /// Reset tables whose records could not be read.
  var unreadable: Set<TableID> = []
  /// Why the view context stays at this commit for good.
  var failure: StoreError?
}
