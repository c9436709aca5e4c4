extension Edits {
  /// Notes an edit for undo.
  ///
  /// - Parameters:
  ///   - old: what the layer had for the key before the edit.
  ///   - change: what the edit did to what the context shows.
  mutating func record(
    _ change: Change, over old: LayerChange?, _ table: TableID, _ key: RecordKey
  ) {
    guard undo.isRecording else { return }
    let new = layer[table, key]
    if old?.isBlind == true || new?.isBlind == true {
      if old != new { undo.record(.blind(old, new), table, key) }
    } else if !change.isIdentity {
      undo.record(.known(change), table, key)
    }
  }

  /// Undoes the newest group, or does again what was undone last; nil if there is none.
  ///
  /// - Parameters:
  ///   - saving: what is being saved.
  ///   - shown: what the context shows for a key.
  /// - Returns: what became of it, and the keys that were touched.
  mutating func revert(
    redo: Bool, saving: Layer?, shown: (TableID, RecordKey) -> Shown
  ) -> (report: UndoReport, touched: [TableID: Set<RecordKey>])? {
    guard let group = undo.pop(redo: redo) else { return nil }
    if let report = unknownWhileSaving(group, saving) {
      undo.restore(group, redo: redo)
      return (report, [:])
    }
    var report = UndoReport(name: group.name)
    var done: [(table: TableID, key: RecordKey, change: UndoChange)] = []
    var touched: [TableID: Set<RecordKey>] = [:]
    for table in group.tables.keys.sorted() {
      for (key, change) in (group.tables[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let undone: UndoChange?
        switch change {
        case .gone:
          report.skip(model[table], key, .all(model[table].columns.count), .gone)
          undone = nil
        case .blind(let old, let new): undone = revert(new, to: old, model[table], key, &report)
        case .known(let change):
          let now = shown(table, key)
          let current = if case .unknown = now { change.after } else { now.record }
          undone = revert(change, current, model[table], key, &report)
        }
        guard let undone else { continue }
        report.count += 1
        done.append((table, key, undone))
        touched[table, default: []].insert(key)
      }
    }
    undo.keep(done, of: group, redo: redo)
    return (report, touched)
  }

  /// The blind edits of a group that are being saved; nil if there are none.
  private func unknownWhileSaving(_ group: UndoGroup, _ saving: Layer?) -> UndoReport? {
    guard let saving else { return nil }
    var report = UndoReport(name: group.name)
    for (table, changes) in group.tables {
      for (key, change) in changes {
        guard case .blind(_, let new) = change, layer[table, key] != new,
          saving[table, key] != nil
        else { continue }
        report.skip(model[table], key, .all(model[table].columns.count), .beingSaved)
      }
    }
    return report.isComplete ? nil : report
  }

  /// Takes back what an edit did to the record that is shown now.
  private mutating func revert(
    _ change: Change, _ current: Record?, _ table: Table, _ key: RecordKey,
    _ report: inout UndoReport
  ) -> UndoChange? {
    let every = AttributeSet.all(table.columns.count)
    let reverted: Record?
    switch (change.before, change.after, current) {
    case (nil, nil, _), (nil, _, nil): return nil
    case (nil, let after?, let current?):
      guard current == after else {
        report.skip(table, key, current.differences(from: after), .changed)
        return nil
      }
      reverted = nil
    case (let before?, nil, nil): reverted = before
    case (let before?, nil, let current?):
      if before != current { report.skip(table, key, every, .exists) }
      return nil
    case (_?, _?, nil):
      report.skip(table, key, every, .gone)
      return nil
    case (let before?, let after?, let current?):
      let edited = after.differences(from: before).positions
      let untouched = edited.filter { !current.differs(from: after, at: $0) }
      let changed = edited.filter {
        current.differs(from: after, at: $0) && current.differs(from: before, at: $0)
      }
      if !changed.isEmpty { report.skip(table, key, AttributeSet(changed), .changed) }
      if untouched.isEmpty { return nil }
      reverted = current.replacing(AttributeSet(untouched), from: before)
    }
    let done = Change(before: current, after: reverted)
    layer.replace(table.id, key) { $0.onTop(done) }
    return .known(done)
  }

  /// Puts back what the layer had for a key that nobody has seen.
  private mutating func revert(
    _ new: LayerChange?, to old: LayerChange?, _ table: Table, _ key: RecordKey,
    _ report: inout UndoReport
  ) -> UndoChange? {
    guard layer[table.id, key] == new else {
      report.skip(table, key, .all(table.columns.count), .changed)
      return nil
    }
    layer[table.id, key] = old
    return .blind(new, old)
  }
}

extension UndoReport {
  fileprivate mutating func skip(
    _ table: Table, _ key: RecordKey, _ attributes: AttributeSet, _ reason: Reason
  ) {
    skipped.append(
      Skipped(
        entity: table.entity, key: key,
        attributes: attributes.positions.map { table.columns[$0].name }, reason: reason))
  }
}

extension LayerChange {
  var isBlind: Bool { if case .blind = self { true } else { false } }
}
