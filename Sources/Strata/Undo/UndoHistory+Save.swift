// What a save makes of undo groups: not what was edited, but what the writer wrote.

extension UndoHistory {
  /// Makes the groups of a save what the writer wrote.
  ///
  /// Where the writer overwrote somebody else's value, undoing brings that value back. What no group
  /// did, a delete rule did: it belongs to the group that deleted what the row referred to.
  ///
  /// - Parameters:
  ///   - layer: what was saved.
  ///   - first: the number of the save's first group.
  /// - Returns: what delete rules did for a group that was undone meanwhile: it is to be undone, too.
  mutating func didSave(
    _ layer: Layer, as written: [TableID: TableChanges], _ model: Model, from first: Int
  ) -> [(table: TableID, key: RecordKey, change: Change)] {
    guard isRecording else { return [] }
    var extras: [Extra] = []
    for (id, changes) in written {
      guard case .rows(let rows) = changes else { continue }
      for row in rows {
        switch layer[id, row.key] {
        case .blind?:
          // What was edited since the save began is on top of what it wrote.
          meet(row.change.after, id, row.key, from: saveStart)
          meet(row.change.before, id, row.key, from: first)
        case .known(let change)?:
          replaced(change, by: row.change, id, row.key, from: first)
          if let extra = row.change.beyond(change) {
            extras.append(Extra(table: model[id], key: row.key, change: extra))
          }
        case nil: extras.append(Extra(table: model[id], key: row.key, change: row.change))
        }
      }
    }
    extras += takenInsertions(of: layer, written, model)
    return attribute(extras, from: first)
  }

  /// What a save wrote beyond what was edited.
  fileprivate struct Extra {
    let table: Table
    let key: RecordKey
    let change: Change
  }

  /// Insertions that a delete rule took before they were written.
  private func takenInsertions(
    of layer: Layer, _ written: [TableID: TableChanges], _ model: Model
  ) -> [Extra] {
    var extras: [Extra] = []
    for (id, changes) in layer.tables where !model[id].references.isEmpty {
      for (key, change) in changes {
        guard case .known(let change) = change, change.before == nil, let after = change.after,
          written[id]?[key] == nil
        else { continue }
        extras.append(
          Extra(table: model[id], key: key, change: Change(before: after, after: nil)))
      }
    }
    return extras
  }

  /// Puts what the writer really replaced in the place of what the context believed.
  private mutating func replaced(
    _ believed: Change, by written: Change, _ table: TableID, _ key: RecordKey, from first: Int
  ) {
    guard let stored = written.before, stored != believed.before else { return }
    guard let start = believed.before else {
      var isOldest = true
      return update(from: first) { group in
        guard isOldest, case .known(let change)? = group[table, key], change.before == nil else {
          return
        }
        isOldest = false
        group[table, key] = .known(Change(before: stored, after: change.after))
      }
    }
    // Each attribute belongs to the oldest group that edited it.
    var columns = stored.differences(from: start)
    update(from: first) { group in
      guard !columns.isEmpty, case .known(let change)? = group[table, key],
        let before = change.before
      else { return }
      let edited =
        change.after.map { columns.intersection($0.differences(from: before)) } ?? columns
      columns = columns.subtracting(edited)
      group[table, key] = .known(
        Change(before: before.replacing(edited, from: stored), after: change.after))
    }
  }

  private mutating func attribute(
    _ extras: [Extra], from first: Int
  ) -> [(table: TableID, key: RecordKey, change: Change)] {
    var undone: [(table: TableID, key: RecordKey, change: Change)] = []
    var waiting = extras
    var left = waiting.count + 1
    // A row may have gone with one that itself went with another.
    while waiting.count < left && !waiting.isEmpty {
      left = waiting.count
      waiting.removeAll { extra in
        var isCaused = false
        let targets = extra.targets
        update(from: first) { group in
          if isCaused { return }
          if targets.contains(where: { group.deletes($0.table, $0.key) }) {
            group.add(.known(extra.change), extra.table.id, extra.key)
            isCaused = true
          } else if targets.contains(where: { group.restores($0.table, $0.key) }) {
            group.add(.known(extra.change.inverse), extra.table.id, extra.key)
            undone.append((extra.table.id, extra.key, extra.change.inverse))
            isCaused = true
          }
        }
        if isCaused { note(extra.change.after, extra.table.id, extra.key) }
        return isCaused
      }
    }
    return undone
  }
}

extension UndoHistory.Extra {
  /// What the row referred to before a rule changed or deleted it.
  fileprivate var targets: [(table: TableID, key: RecordKey)] {
    guard let before = change.before else { return [] }
    return table.references.compactMap { reference in
      let column = reference.column
      if before.isNull(column) { return nil }
      if let after = change.after, !after.differs(from: before, at: column) { return nil }
      return (reference.target, before.key(column))
    }
  }
}

extension UndoGroup {
  /// Works somebody else's commit into a deletion that is to be undone: what comes back is the row
  /// as others have made it.
  mutating func follow(_ change: Change, _ table: TableID, _ key: RecordKey) {
    guard case .known(let mine)? = self[table, key], mine.after == nil, let before = mine.before,
      let was = change.before
    else { return }
    guard let now = change.after else {
      self[table, key] = .gone
      return
    }
    let changed = now.differences(from: was)
    self[table, key] = .known(Change(before: before.replacing(changed, from: now), after: nil))
  }

  /// Makes known what a blind edit did to a row.
  mutating func meet(_ row: Record?, _ table: TableID, _ key: RecordKey) {
    guard case .blind(let old, let new)? = self[table, key] else { return }
    func result(_ change: LayerChange?) -> Record? { change.map { $0.applied(to: row) } ?? row }
    let change = Change(before: result(old), after: result(new))
    self[table, key] = change.isIdentity ? nil : .known(change)
  }
}

extension Change {
  /// What was written beyond an edit; nil for nothing.
  fileprivate func beyond(_ edit: Change) -> Change? {
    guard let before, let edited = edit.after else { return nil }
    guard let after else { return Change(before: edited, after: nil) }
    guard let start = edit.before else { return nil }
    let mine = edited.differences(from: start)
    let others = AttributeSet(
      after.differences(from: before).positions.filter { !mine.contains($0) })
    if others.isEmpty { return nil }
    return Change(before: after.replacing(others, from: before), after: after)
  }
}
