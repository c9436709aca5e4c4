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

  /// Reads the rows that the view context lacks; false if a suspension took the snapshot.
  mutating func read(_ missing: [TableID: Set<RecordKey>], of model: Model) async -> Bool {
    for (table, keys) in missing {
      do throws(StoreError) {
        let records = try await snapshot.records(model[table], keys: keys)
        for key in keys { stored[table, default: [:]][key] = RecordState(records[key]) }
      } catch {
        if error.code == .suspended { return false }
        unreadable.insert(table)
      }
    }
    return true
  }
}
