// A save replaces the edits in undo groups with the changes that the writer wrote.

extension UndoHistory {
  /// Replaces the edits in the groups of a save with the changes that the writer wrote.
  ///
  /// If the writer overwrote a value of another commit, undo restores that value. The effects of a
  /// delete rule belong to the group that deleted the referenced row.
  ///
  /// - Returns: edits that the caller has to make. They undo the effects of delete rules whose
  ///   group was undone during the save.
  mutating func didSave(
    _ save: ContextSave.Cargo, as report: SaveReport
  ) -> [(table: TableID, key: RecordKey, change: Change)] {
    guard isRecording else { return [] }
    let (layer, first) = (save.layer, save.firstPart)
    for (table, changes) in layer.tables {
      if case .reset? = report.changes[table] { continue }
      for (key, edit) in changes {
        switch edit {
        case .blind:
          // Edits made since the save began lie on the row that the save wrote.
          meet(report.rowAfter(table, key, edit), table, key, from: saveStart)
          meet(report.rowBefore(table, key, edit), table, key, from: first, below: saveStart)
        case .known(let change):
          if let written = report.changes[table]?[key] {
            replaced(change, by: written, model[table], key, from: first)
          } else if change.after == nil {
            // The row was already deleted in the store.
            update(from: first, below: saveStart) { part in
              if part[table, key]?.isDeletion == true { part[table, key]?.isGone = true }
            }
          }
        }
      }
    }
    return attribute(report.effects, of: layer, from: first)
  }

  /// Determines the effect of blind edits that were saved into a parent's edits.
  ///
  /// The effect is known as far as the parent knew the rows.
  mutating func didSave(_ save: ContextSave.Cargo, into parent: [Edits.Absorbed]) {
    guard isRecording else { return }
    for edit in parent {
      guard case .blind? = save.layer[edit.table.id, edit.key], edit.shown.isKnown else { continue }
      let before = edit.shown.record
      let after = edit.change.map { $0.applied(to: before) } ?? before
      meet(after, edit.table.id, edit.key, from: saveStart)
      meet(before, edit.table.id, edit.key, from: save.firstPart, below: saveStart)
    }
  }

  /// Replaces the row that the context assumed with the row that the writer replaced.
  ///
  /// Merged attributes keep the context's own edit, because undo takes back that edit alone.
  private mutating func replaced(
    _ believed: Change, by written: Change, _ table: Table, _ key: RecordKey, from first: Int
  ) {
    if believed.before == nil && written.before == nil {
      return takeReferences(from: believed.after, to: written.after, table, key, from: first)
    }
    guard let stored = written.before, stored != believed.before else { return }
    guard let start = believed.before else {
      var isOldest = true
      return update(from: first) { part in
        guard isOldest, let change = part[table.id, key], change.isInsertion else { return }
        isOldest = false
        part[table.id, key]?.shown = Change(before: stored, after: change.shown?.after)
      }
    }
    // Each attribute belongs to the oldest part that edited it.
    var columns = stored.differences(from: start)
    columns = columns.subtracting(AttributeSet(table.merges.map(\.column)))
    update(from: first) { part in
      guard !columns.isEmpty, let change = part[table.id, key]?.shown, let before = change.before
      else { return }
      // A group that undid this edit starts from another value than `start`: leave it alone.
      let edited = columns.subtracting(before.differences(from: start))
        .intersection(change.differences ?? columns)
      columns = columns.subtracting(edited)
      part[table.id, key]?.shown = Change(
        before: before.replacing(edited, from: stored), after: change.after)
    }
  }

  /// Gives an inserted row the references that have waited for it, in all groups that left it without.
  private mutating func takeReferences(
    from believed: Record?, to written: Record?, _ table: Table, _ key: RecordKey, from first: Int
  ) {
    guard let believed, let written, believed != written else { return }
    let set = AttributeSet(
      written.differences(from: believed).positions.filter { believed.isNull($0) })
    if set.isEmpty { return }
    func following(_ record: Record?) -> Record? {
      record.map {
        $0.replacing(set.subtracting($0.differences(from: believed)), from: written)
      }
    }
    update(from: first) { part in
      guard let shown = part[table.id, key]?.shown else { return }
      part[table.id, key]?.shown = Change(
        before: following(shown.before), after: following(shown.after))
    }
  }

  /// Adds the effects of delete rules to the groups that caused them.
  ///
  /// A chain of effects belongs to the deletion with which it begins. The rows between may leave no
  /// trace in the group: a row that the group inserted and that then went with the deletion is no
  /// change of the group.
  ///
  /// The writer also drops links to rows that did not exist before the save. No group caused these
  /// effects.
  private mutating func attribute(
    _ effects: [DeleteEffect], of layer: Layer, from first: Int
  ) -> [(table: TableID, key: RecordKey, change: Change)] {
    var undone: [(table: TableID, key: RecordKey, change: Change)] = []
    // The deletions with which rows went.
    var origins: [TableID: [RecordKey: (table: TableID, key: RecordKey)]] = [:]
    for effect in effects {
      let (table, key) = effect.cause
      let isDeleted = layer[table, key].map { $0.applied(to: nil) == nil } ?? false
      guard let origin = origins[table]?[key] ?? (isDeleted ? effect.cause : nil) else { continue }
      if effect.change.after == nil { origins[effect.table, default: [:]][effect.key] = origin }
      let isThere = hasReturned(origin.key, in: origin.table)
      let parts = isThere == nil ? first..<saveStart : saveStart..<Int.max
      if isThere == true {
        add(UndoChange(shown: effect.change.inverse), of: effect, in: parts) {
          $0[origin.table, origin.key]?.isInsertion == true
        }
        undone.append((effect.table, effect.key, effect.change.inverse))
      } else {
        add(UndoChange(shown: effect.change), of: effect, in: parts) {
          $0[origin.table, origin.key]?.isDeletion == true
        }
      }
    }
    return undone
  }

  /// Adds the change of a delete rule to the newest part in a range that meets a condition, if there
  /// is one.
  private mutating func add(
    _ change: UndoChange, of effect: DeleteEffect, in range: Range<Int>,
    where condition: (UndoGroup.Part) -> Bool
  ) {
    guard
      let part = newestPart(from: range.lowerBound, below: range.upperBound, where: condition)
    else { return }
    let table = model[effect.table]
    update(from: part, below: part + 1) { $0.add(change, table, effect.key) }
  }
}
