/// The effect of a save on the store.
struct SaveReport: Sendable {
  /// The number of the commit that has the layer's result.
  ///
  /// This is a new commit, or the newest commit if nothing differed from the store.
  let commit: Int64
  /// The changes that the writer wrote, including rows that delete rules changed.
  let changes: [TableID: TableChanges]
  /// The effects of delete rules, each effect after its cause.
  let effects: [DeleteEffect]

  /// Returns the row that the save found in the store.
  ///
  /// - Parameter edit: the saved layer's change of the key.
  func rowBefore(_ table: TableID, _ key: RecordKey, _ edit: LayerChange) -> Record? {
    if let change = changes[table]?[key] { return change.before }
    return unchangedRow(table, key, edit)
  }

  /// Returns the row that the save left in the store.
  func rowAfter(_ table: TableID, _ key: RecordKey, _ edit: LayerChange) -> Record? {
    if let change = changes[table]?[key] { return change.after }
    return unchangedRow(table, key, edit)
  }

  /// Returns a row that the save did not write: it was already as the edit and the rules make it.
  private func unchangedRow(
    _ table: TableID, _ key: RecordKey, _ edit: LayerChange
  ) -> Record? {
    if let effect = effects.last(where: { $0.table == table && $0.key == key }) {
      return effect.change.after
    }
    return edit.applied(to: nil)
  }
}

/// The effect of a delete rule on a row, and its cause.
struct DeleteEffect: Sendable {
  let table: TableID
  let key: RecordKey
  /// The row before and after the rule, including edits of the same save.
  let change: Change
  /// The row that does not exist any more, to which the changed row referred.
  let cause: (table: TableID, key: RecordKey)
}

/// A save of the view context whose commit is in the store.
struct CompletedSave: Sendable {
  let id: Int
  let report: SaveReport
}
