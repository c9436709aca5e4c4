/// The view context's two layers over its snapshot, and the store's rows below the layers.
///
/// The saving layer lies below the layer of the pending edits.
///
/// clean ─edit→ edited;  edited ─save→ saving;  saving ─edit→ saving and edited
/// saving ─merged→ clean or edited;  saving ─failed→ edited (both layers as one)
///
/// No commit changes a layer: an edit stays as it was made until it is saved, reverted or resolved.
/// A merge changes only the rows below the layers. The shown rows, the conflicts and the result of
/// a save therefore depend on the edits and on the newest row alone, not on the commits in between.
struct ViewLayers: Sendable {
  var pending: Edits
  private(set) var base = BaseRows()
  /// The edited keys that conflict, with the rows that a failed save found in the store.
  ///
  /// The state of a key is unknown if ``base`` has its row instead.
  private var contested: [TableID: [RecordKey: RecordState]] = [:]

  init(_ model: Model, undoLimit: Int = 0) {
    pending = Edits(model, undoLimit: undoLimit)
  }

  /// The edits that are being saved; nil if no save is under way.
  var saving: ContextSave.Cargo? { pending.saving }

  var isSaving: Bool { saving != nil }

  /// Both layers, with the saving layer below.
  var stack: LayerStack {
    LayerStack().adding(saving?.layer, followsRows: true)
      .adding(pending.layer, followsRows: true)
  }

  // MARK: Reading

  /// Returns the state that the context shows for a row.
  ///
  /// - Parameter other: the caller's knowledge of the store's row, used if ``base`` does not know
  ///   the row.
  func state(
    of key: RecordKey, in table: Table, or other: @autoclosure () -> RecordState
  ) -> RecordState {
    state(of: key, in: table, over: base[table.id, key].or(other()))
  }

  /// Returns the state to which an edit of a value in hand applies.
  func state(of key: RecordKey, in table: Table, inHand: Record) -> RecordState {
    state(of: key, in: table, over: base.state(of: key, in: table.id, inHand: inHand))
  }

  private func state(of key: RecordKey, in table: Table, over row: RecordState) -> RecordState {
    row.under(saving?.layer[table.id, key], in: table)
      .under(pending.layer[table.id, key], in: table)
  }

  /// Returns whether a key has edits.
  func edits(_ key: RecordKey, in table: TableID) -> Bool {
    pending.layer[table, key] != nil || saving?.layer[table, key] != nil
  }

  /// Returns whether the newest edit of a key is an insertion.
  func isInserted(_ key: RecordKey, in table: TableID) -> Bool {
    let change = pending.layer[table, key] ?? saving?.layer[table, key]
    guard case .known(let change) = change else { return false }
    return change.before == nil
  }

  /// An upper bound for the number of edited keys.
  var editCount: Int { pending.layer.count + (saving?.layer.count ?? 0) }

  // MARK: Editing

  /// Follows a key that is about to be edited.
  mutating func follow(_ key: RecordKey, in table: TableID, _ state: RecordState) {
    base.follow(key, in: table, state)
  }

  /// Returns the followed keys whose rows are unknown, and that a result has at the context's commit.
  ///
  /// Such keys are learned at once. So no result has the row of a followed key that is unknown.
  func unknownKeys(in result: ResultTree, of table: Table) -> [RecordKey] {
    base.unknownKeys(of: table.id).filter { result.record(of: $0) != nil }
  }

  /// Takes the row of a followed key from a result at the context's commit.
  mutating func learn(_ key: RecordKey, from result: ResultTree, of table: Table) {
    guard let record = result.record(of: key) else { return }
    base.learn(record.prefix(table.columns.count), key, in: table.id)
  }

  /// Takes the row of a key that was read at the context's commit, if the key is still followed.
  ///
  /// The row may be from an earlier commit if no commit has written it since.
  mutating func learn(_ record: Record?, _ key: RecordKey, in table: TableID) {
    if base.contains(key, in: table) { base.follow(key, in: table, RecordState(record)) }
  }

  /// Updates whether a key conflicts, after a change of its edits or of the row below them.
  mutating func didEdit(_ key: RecordKey, in table: Table) {
    if !edits(key, in: table.id) || conflicts(of: key, in: table).isEmpty {
      endContest(key, in: table.id)
    } else if contested[table.id]?[key] == nil {
      contested[table.id, default: [:]][key] = .unknown
    }
  }

  private mutating func didEdit(_ keys: [TableID: Set<RecordKey>]) {
    for (table, keys) in keys { for key in keys { didEdit(key, in: pending.model[table]) } }
  }

  /// Undoes or redoes a group, as ``Edits/revert(_:redo:below:)`` does.
  mutating func revert(
    _ number: Int, redo: Bool
  ) -> (report: UndoReport, touched: [TableID: Set<RecordKey>])? {
    let (base, saving) = (base, saving?.layer)
    let result = pending.revert(number, redo: redo) { table, key in
      base[table.id, key].under(saving?[table.id, key], in: table)
    }
    if let result { didEdit(result.touched) }
    return result
  }

  // MARK: Saving

  /// Moves the pending edits into the saving layer; returns nil if there are none.
  mutating func beginSave() throws(StoreError) -> ContextSave.Cargo? {
    try pending.checkRejected()
    return pending.layer.isEmpty ? nil : pending.beginSave()
  }

  /// Puts the edits of a failed save back below later edits, and keeps the conflicts of the save.
  ///
  /// - Returns: the keys that were edited again since the save began. Edits that cancel each other
  ///   show the store's row.
  mutating func saveFailed(_ error: StoreError) -> [TableID: Set<RecordKey>] {
    if !isSaving { return [:] }
    let touched = pending.saveFailed()
    for conflict in error.conflicts {
      contested[conflict.table.id, default: [:]][conflict.key] = RecordState(conflict.theirs)
    }
    didEdit(touched)
    return touched
  }

  // MARK: Merging

  /// Returns the edited keys that ``merge(_:completedSave:read:)`` can touch.
  ///
  /// The effects of a delete rule may also touch keys that have no edits.
  func keysToTouch(
    by changes: ChangeSet?, _ completedSave: CompletedSave?
  ) -> [TableID: Set<RecordKey>] {
    if !isSaving && pending.layer.isEmpty { return [:] }
    let stack = stack
    var keys: [TableID: Set<RecordKey>] = [:]
    func add(_ changes: [TableID: TableChanges]) {
      for (table, changes) in changes where stack.edits(table) {
        switch changes {
        case .rows(let rows) where rows.count <= stack.count(of: table):
          keys[table, default: []].formUnion(rows.lazy.map(\.key).filter { edits($0, in: table) })
        case .rows:
          keys[table, default: []].formUnion(
            stack.keys(of: table).filter { changes.row($0) != nil })
        case .reset: keys[table, default: []].formUnion(stack.keys(of: table))
        }
      }
    }
    add(changes?.tables ?? [:])
    if let completedSave, let saving, saving.id == completedSave.id {
      keys.merge(saving.layer.keys) { $0.union($1) }
      add(completedSave.report.changes)
      for effect in completedSave.report.effects where edits(effect.key, in: effect.table) {
        keys[effect.table, default: []].insert(effect.key)
      }
    }
    return keys
  }

  /// Brings the rows under the layers to a later commit.
  ///
  /// - Parameters:
  ///   - changes: the changes of the merged commits.
  ///   - completedSave: the save that is in the store now.
  ///   - read: the rows of followed keys in tables that were reset.
  /// - Returns: the edited keys whose shown row may differ now.
  mutating func merge(
    _ changes: ChangeSet?, completedSave: CompletedSave?, read: [TableID: [RecordKey: RecordState]]
  ) -> [TableID: Set<RecordKey>] {
    var touched: [TableID: Set<RecordKey>] = [:]
    pending.dropLists()
    if let completedSave, let saved = pending.endSave(completedSave.id) {
      touched = end(saved, completedSave.report)
    }
    for (table, changes) in changes?.tables ?? [:] {
      var base = base
      self.base = BaseRows()  // drops the second reference, so that nothing is copied
      base.advance(by: changes, in: table, read: read[table]) { row in
        if edits(row.key, in: table) { touched[table, default: []].insert(row.key) }
      }
      base.trim(table) { edits($0, in: table) || pending.undo.contains(table, $0) }
      self.base = base
    }
    // The merged rows are newer than the rows that a failed save reported.
    for (table, keys) in touched { for key in keys { endContest(key, in: table) } }
    didEdit(touched)
    return touched
  }

  /// Takes the rows that a save wrote.
  ///
  /// - Returns: the saved keys, and the edited keys whose row a delete rule changed.
  private mutating func end(
    _ saved: ContextSave.Cargo, _ report: SaveReport
  ) -> [TableID: Set<RecordKey>] {
    var touched = saved.layer.keys
    func take(_ record: Record?, _ key: RecordKey, in table: TableID) {
      base.didSave(record, key, in: table)
      if edits(key, in: table) { touched[table, default: []].insert(key) }
    }
    for (table, changes) in report.changes {
      guard case .rows(let rows) = changes else { continue }
      for row in rows { take(row.change.after, row.key, in: table) }
    }
    // A rule may leave a row as the store had it; the report has no change of such a row.
    for effect in report.effects where report.changes[effect.table]?[effect.key] == nil {
      take(effect.change.after, effect.key, in: effect.table)
    }
    for (table, key, change) in pending.undo.didSave(saved, as: report) {
      // Later edits were made to the rows that the change brings back.
      pending.layer.composeBelow(.known(change), table, key)
      touched[table, default: []].insert(key)
    }
    return touched
  }

  /// Returns the keys of reset tables whose stored rows a merge needs.
  func keysToRead(for changes: ChangeSet?) -> [TableID: Set<RecordKey>] {
    var keys: [TableID: Set<RecordKey>] = [:]
    for (table, changes) in changes?.tables ?? [:] {
      guard case .reset = changes else { continue }
      let needed = base.keys(of: table) {
        !base[table, $0].isKnown || edits($0, in: table) || pending.undo.contains(table, $0)
      }
      if !needed.isEmpty { keys[table] = needed }
    }
    return keys
  }

  /// Discards the pending edits, but not the edits that are being saved.
  ///
  /// - Returns: the keys that had pending edits.
  mutating func rollback() -> [TableID: Set<RecordKey>] {
    let touched = pending.layer.keys
    pending.removeAll()
    didEdit(touched)
    return touched
  }

  // MARK: Conflicts

  /// Whether there are edited keys that conflict.
  var mayConflict: Bool { !contested.isEmpty }

  /// Returns the store's row of a contested key, as far as the context knows it.
  private func stored(_ table: TableID, _ key: RecordKey) -> RecordState {
    if let reported = contested[table]?[key], reported.isKnown { return reported }
    return base[table, key]
  }

  private mutating func endContest(_ key: RecordKey, in table: TableID) {
    contested[table]?[key] = nil
    if contested[table]?.isEmpty == true { contested[table] = nil }
  }

  /// The edits that would conflict if they were saved now.
  var conflicts: [Conflict] {
    contested.keys.sorted().flatMap { id in
      let table = pending.model[id]
      return (contested[id] ?? [:]).keys.sorted().flatMap { conflicts(of: $0, in: table) }
    }
  }

  /// Returns the edits of a key that would conflict with the known row of the store.
  private func conflicts(of key: RecordKey, in table: Table) -> [Conflict] {
    // A link never conflicts.
    if table.isJoin { return [] }
    var found: [Conflict] = []
    var below = stored(table.id, key)
    // Edits made during the key's save lie on top of the save.
    for edit in [saving?.layer[table.id, key], pending.layer[table.id, key]] {
      if below.isKnown, case .known(let change)? = edit {
        let meeting = table.meet(change, below.record)
        if !meeting.conflicting.isEmpty { found.append(table.conflict(meeting, key: key)) }
      }
      below = below.under(edit, in: table)
    }
    return found
  }

  /// Replaces an edit in conflict with the part of it that a policy keeps.
  ///
  /// An edit that is being saved is left to its save.
  ///
  /// - Returns: whether there was a conflict to resolve.
  mutating func resolve(_ conflict: Conflict, by policy: SavePolicy) -> Bool {
    let (table, key) = (conflict.table, conflict.key)
    guard policy != .error, saving?.layer[table.id, key] == nil,
      stored(table.id, key) == RecordState(conflict.theirs),
      case .known(let change)? = pending.layer[table.id, key]
    else { return false }
    let meeting = table.meet(change, conflict.theirs)
    if meeting.conflicting.isEmpty { return false }
    pending.layer[table.id, key] = meeting.resolved(by: policy).map(LayerChange.known)
    didEdit(key, in: table)
    return true
  }
}
