/// What a save did to the store.
struct SaveReport: Sendable {
  /// The number of the commit that has the layer's result: a new one, or the newest one if nothing
  /// differed from the store.
  let commit: Int64
  /// What the writer wrote, rows that delete rules touched included.
  let changes: [TableID: TableChanges]
  /// What delete rules did, each effect after its cause.
  let effects: [DeleteEffect]

  /// The row that the save found in the store.
  ///
  /// - Parameter edit: what the saved layer has for the key.
  func rowBefore(_ table: TableID, _ key: RecordKey, _ edit: LayerChange) -> Record? {
    if let change = changes[table]?[key] { return change.before }
    return unchangedRow(table, key, edit)
  }

  /// The row that the save left in the store.
  func rowAfter(_ table: TableID, _ key: RecordKey, _ edit: LayerChange) -> Record? {
    if let change = changes[table]?[key] { return change.after }
    return unchangedRow(table, key, edit)
  }

  /// A row that the save did not write: it was as the edit and the rules would have made it.
  private func unchangedRow(
    _ table: TableID, _ key: RecordKey, _ edit: LayerChange
  ) -> Record? {
    if let effect = effects.last(where: { $0.table == table && $0.key == key }) {
      return effect.change.after
    }
    return edit.applied(to: nil)
  }
}

/// What a rule did to a row, and why.
struct DeleteEffect: Sendable {
  let table: TableID
  let key: RecordKey
  /// The row before and after the rule, edits of the same save included.
  let change: Change
  /// The row that is gone, so that the rule applied to rows that refer to it.
  let cause: (table: TableID, key: RecordKey)
}

/// A save of the view context that is in the store.
struct CompletedSave: Sendable {
  let id: Int
  let report: SaveReport
}
