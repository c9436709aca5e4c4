extension Edits {
  /// Undoes or redoes a group.
  ///
  /// - Parameters:
  ///   - number: the number of the group.
  ///   - below: returns the state of the row that the layer lies on.
  /// - Returns: the report and the edited keys; nil if there is no such group.
  mutating func revert(
    _ number: Int, redo: Bool, below: (Table, RecordKey) -> RecordState
  ) -> (report: UndoReport, touched: [TableID: Set<RecordKey>])? {
    guard let group = undo.pop(number, redo: redo) else { return nil }
    let changes = group.changes(model)
    var reversal = Reversal(report: UndoReport(name: group.name))
    if let saving { reversal.reportUnknown(changes, saving.layer, under: layer, model) }
    if !reversal.report.isComplete {
      undo.restore(group, redo: redo)
      return (reversal.report, [:])
    }
    for id in changes.keys.sorted() {
      let table = model[id]
      for (key, change) in (changes[id] ?? [:]).sorted(by: { $0.key < $1.key }) {
        reversal.revert(change, table, key, in: &layer, over: below(table, key))
      }
    }
    undo.keep(reversal.done, of: group, redo: redo)
    var touched: [TableID: Set<RecordKey>] = [:]
    for (table, key, _) in reversal.done { touched[table, default: []].insert(key) }
    return (reversal.report, touched)
  }
}

/// The reversal of a group: an undo or a redo.
private struct Reversal {
  var report: UndoReport
  /// The changes of the reversal, with which it can itself be reversed.
  private(set) var done: [(table: TableID, key: RecordKey, change: UndoChange)] = []

  init(report: UndoReport) { self.report = report }

  /// Reports blind edits that are being saved: their effect is known only when the save has ended.
  mutating func reportUnknown(
    _ changes: [TableID: [RecordKey: UndoChange]], _ saving: Layer, under layer: Layer,
    _ model: Model
  ) {
    for (table, changes) in changes {
      for (key, change) in changes where change.shown == nil && saving[table, key] != nil {
        if let step = change.layer, step.after == layer[table, key] { continue }
        skip(model[table], key, .all(model[table].columns.count), .beingSaved)
      }
    }
  }

  mutating func revert(
    _ change: UndoChange, _ table: Table, _ key: RecordKey, in layer: inout Layer,
    over below: RecordState
  ) {
    let every = AttributeSet.all(table.columns.count)
    let current = layer[table.id, key]
    let now = below.under(current, in: table)
    if let step = change.layer, step.after == current, change.leaves(now) {
      // Nothing was edited, saved or committed since: restore the layer's change from before.
      layer[table.id, key] = step.before
      let restored = below.under(step.before, in: table)
      if change.isDeletion && restored == .absent {
        return skip(table, key, every, .gone)
      }
      let undone = change.shown.map { shown in
        below.isKnown
          ? Change(before: now.record, after: restored.record)
            .withoutCommits(since: current, over: step.before, table)
          : shown.inverse
      }
      return didRevert(table, key, UndoChange(shown: undone, layer: step.inverse))
    }
    guard let edit = change.shown else { return skip(table, key, every, .changed) }
    let row = now == .unknown ? edit.after : now.record
    if change.isGone && row == nil { return skip(table, key, every, .gone) }
    guard let done = revert(edit, row, table, key) else { return }
    layer.compose(.known(done), table.id, key)
    didRevert(
      table, key,
      UndoChange(shown: done, layer: .init(before: current, after: layer[table.id, key])))
  }

  /// Returns the change that reverts an edit of the row that is shown now, attribute by attribute.
  ///
  /// Attributes that cannot be reverted are added to the report.
  private mutating func revert(
    _ edit: Change, _ row: Record?, _ table: Table, _ key: RecordKey
  ) -> Change? {
    let every = AttributeSet.all(table.columns.count)
    switch (edit.before, edit.after, row) {
    case (nil, nil, _), (nil, _, nil): return nil
    case (nil, let after?, let row?):
      if row == after { return Change(before: row, after: nil) }
      skip(table, key, row.differences(from: after), .changed)
    case (let before?, nil, nil): return Change(before: nil, after: before)
    case (let before?, nil, let row?):
      if before != row { skip(table, key, every, .exists) }
    case (_?, _?, nil): skip(table, key, every, .gone)
    case (_?, _?, let row?):
      // A merge rule takes an edit out of a value to which others have added.
      let edit = edit.inverse.merged(with: row, by: table).change.inverse
      guard let before = edit.before, let after = edit.after else { return nil }
      let changed = edit.conflicts(with: row, count: table.columns.count)
      if !changed.isEmpty { skip(table, key, changed, .changed) }
      let untouched = after.differences(from: before).subtracting(after.differences(from: row))
      if untouched.isEmpty { return nil }
      return Change(before: row, after: row.replacing(untouched, from: before))
    }
    return nil
  }

  private mutating func didRevert(_ table: Table, _ key: RecordKey, _ change: UndoChange) {
    report.count += 1
    done.append((table.id, key, change))
  }

  private mutating func skip(
    _ table: Table, _ key: RecordKey, _ attributes: AttributeSet, _ reason: UndoReport.Reason
  ) {
    report.skipped.append(
      UndoReport.Skipped(
        entity: table.entity, key: key,
        attributes: attributes.positions.map { table.columns[$0].name }, reason: reason))
  }
}

extension Change {
  /// Returns the reversal of an edit without the commits that its end already has.
  ///
  /// An attribute that follows the store again has all commits since the edit. With a merge rule,
  /// the reversal of the reversal must not take them back.
  fileprivate func withoutCommits(
    since edit: LayerChange?, over older: LayerChange?, _ table: Table
  ) -> Change {
    guard !table.merges.isEmpty, case .known(let edit)? = edit, let start = edit.before,
      let end = edit.after, var after
    else { return self }
    for (column, _) in table.merges where end.differs(from: start, at: column) {
      if case .known(let older)? = older, let before = older.before,
        older.after?.differs(from: before, at: column) == true
      {
        continue
      }
      after = after.replacing(AttributeSet([column]), from: start)
    }
    return Change(before: before, after: after)
  }
}

extension UndoChange {
  /// Returns whether each attribute that the change edits still has the value after the change.
  fileprivate func leaves(_ state: RecordState) -> Bool {
    guard let shown, state.isKnown else { return true }
    guard let before = shown.before, let after = shown.after, let row = state.record else {
      return state.record == shown.after
    }
    return after.differences(from: before).isDisjoint(with: after.differences(from: row))
  }
}
