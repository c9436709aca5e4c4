// What a save makes of undo groups: not what was edited, but what the writer wrote.

extension UndoHistory {
  /// Makes the groups of a save what the writer wrote.
  ///
  /// Where the writer overwrote somebody else's value, undoing brings that value back. What a
  /// delete rule did belongs to the group that deleted what the row referred to.
  ///
  /// - Parameters:
  ///   - layer: what was saved.
  ///   - first: the number of the save's first group.
  /// - Returns: what delete rules did for a group that was undone meanwhile: it is to be undone,
  ///   too.
  mutating func didSave(
    _ layer: Layer, as written: [TableID: TableChanges], _ model: Model, from first: Int
  ) -> [(table: TableID, key: RecordKey, change: Change)] {
    guard isRecording else { return [] }
    var extras: [Extra] = []
    for (id, changes) in written {
      guard case .rows(let rows) = changes else { continue }
      for row in rows {
        let extra: Change?
        switch layer[id, row.key] {
        case .blind(let change)?:
          let before = row.change.before
          // What was edited since the save began is on top of what it wrote.
          meet(row.change.after, id, row.key, from: saveStart)
          meet(before, id, row.key, from: first)
          extra = row.change.beyond(
            Change(before: before, after: change.applied(to: before)), in: model[id])
        case .known(let change)?:
          replaced(change, by: row.change, id, row.key, from: first)
          extra = row.change.beyond(change, in: model[id])
        case nil: extra = row.change
        }
        if let extra { extras.append(Extra(table: model[id], key: row.key, change: extra)) }
      }
    }
    extras += unwritten(layer, written, model, from: first)
    return attribute(extras, from: first)
  }

  /// Makes known what blind edits did that were saved into a parent's edits, as far as the parent
  /// knew the rows.
  mutating func didSave(_ layer: Layer, into parent: [Edits.Absorbed], from first: Int) {
    guard isRecording else { return }
    for edit in parent {
      guard case .blind? = layer[edit.table.id, edit.key] else { continue }
      if case .unknown = edit.shown { continue }
      let before = edit.shown.record
      let after = edit.change.map { $0.applied(to: before) } ?? before
      meet(after, edit.table.id, edit.key, from: saveStart)
      meet(before, edit.table.id, edit.key, from: first)
    }
  }

  /// What a save wrote beyond what was edited.
  fileprivate struct Extra {
    let table: Table
    let key: RecordKey
    let change: Change
  }

  /// What delete rules did to edits of which they left nothing to write. The rows of all other
  /// edits without a change were as edited before; with that, blind ones are known.
  private mutating func unwritten(
    _ layer: Layer, _ written: [TableID: TableChanges], _ model: Model, from first: Int
  ) -> [Extra] {
    var edits: [Unwritten] = []
    for (id, changes) in layer.tables {
      if case .reset? = written[id] { continue }
      for (key, change) in changes where written[id]?[key] == nil {
        edits.append(Unwritten(table: model[id], key: key, change: change))
      }
    }
    var taken: [TableID: Set<RecordKey>] = [:]
    func isGone(_ table: TableID, _ key: RecordKey) -> Bool {
      if taken[table]?.contains(key) == true { return true }
      if case .reset? = written[table] { return layer[table, key]?.isDeletion == true }
      return written[table]?[key].map { $0.after == nil } ?? false
    }
    var extras: [Extra] = []
    var left = edits.count + 1
    // One may have gone with another one.
    while edits.count < left && !edits.isEmpty {
      left = edits.count
      edits.removeAll { edit in
        guard let row = edit.result,
          !row.references(of: edit.table, under: .cascade, where: isGone).isEmpty
        else { return false }
        taken[edit.table.id, default: []].insert(edit.key)
        extras.append(
          Extra(table: edit.table, key: edit.key, change: .init(before: row, after: nil)))
        return true
      }
    }
    for extra in extras { meet(nil, extra.table.id, extra.key, from: first, below: saveStart) }
    for edit in edits {
      let nulled =
        edit.result.map { $0.references(of: edit.table, under: .nullify, where: isGone) } ?? []
      let stored = nulled.reduce(edit.result) { $0?.settingNull($1) }
      if case .blind = edit.change {
        meet(stored, edit.table.id, edit.key, from: first, below: saveStart)
      }
      if nulled.isEmpty { continue }
      extras.append(
        Extra(table: edit.table, key: edit.key, change: .init(before: edit.result, after: stored)))
    }
    return extras
  }

  /// An edit of a row that the save left as it was.
  private struct Unwritten {
    let table: Table
    let key: RecordKey
    let change: LayerChange
    /// What the edit made of the row.
    let result: Record?

    init(table: Table, key: RecordKey, change: LayerChange) {
      self.table = table
      self.key = key
      self.change = change
      result = change.applied(to: nil)
    }
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
      // The inverse of an edit starts from another value than the one that was replaced.
      let edited = AttributeSet(
        columns.positions.filter { column in
          !before.differs(from: start, at: column)
            && change.after.map { $0.differs(from: before, at: column) } ?? true
        })
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
  /// What delete rules wrote beyond an edit; nil for nothing.
  fileprivate func beyond(_ edit: Change, in table: Table) -> Change? {
    guard let edited = edit.after else { return nil }
    guard let after else { return Change(before: edited, after: nil) }
    var expected = edited
    if let before, let start = edit.before {
      expected = before.replacing(edited.differences(from: start), from: edited)
    }
    let nulled = table.references.map(\.column).filter {
      after.isNull($0) && !expected.isNull($0)
    }
    if nulled.isEmpty { return nil }
    return Change(before: after.replacing(AttributeSet(nulled), from: expected), after: after)
  }
}

extension LayerChange {
  fileprivate var isDeletion: Bool {
    if case .known(let change) = self { change.after == nil } else { self == .blind(.set(nil)) }
  }
}

extension Record {
  /// The columns of a rule's references to rows that fulfil a condition.
  fileprivate func references(
    of table: Table, under rule: DeleteRule, where condition: (TableID, RecordKey) -> Bool
  ) -> [Int] {
    table.references.filter {
      $0.rule == rule && !isNull($0.column) && condition($0.target, key($0.column))
    }.map(\.column)
  }
}
