/// The view context's two layers over its snapshot: what is being saved, and what is edited now.
///
/// clean ─edit→ edited;  edited ─save→ saving;  saving ─edit→ saving and edited
/// saving ─merged→ clean or edited;  saving ─failed→ edited (both layers as one)
///
/// Whatever the store does underneath, an attribute that is edited keeps its first `before` until
/// it is saved or reverted, and an attribute that is not follows the store.
struct ViewLayers {
  private(set) var saving: (id: Int, layer: Layer, firstGroup: Int)?
  var pending: Edits
  /// What the store has now for edited keys that somebody else changed.
  private var theirs: [TableID: [RecordKey: Record?]] = [:]
  private var lastSave = 0

  init(_ model: Model, undoLimit: Int = 0) {
    pending = Edits(model, undoLimit: undoLimit, followsCommits: true)
  }

  var isSaving: Bool { saving != nil }

  /// Both layers, the upper one first.
  var layers: [Layer] {
    [pending.layer, saving?.layer].compactMap { $0 }.filter { !$0.isEmpty }
  }

  // MARK: Reading

  /// What the layers show for a key over the stored record, which counts only for keys that no
  /// layer has a known change of.
  func shown(_ table: TableID, _ key: RecordKey, over stored: Edits.Shown) -> Edits.Shown {
    stored.under([saving?.layer[table, key], pending.layer[table, key]])
  }

  /// The keys of a table that a layer has changes for.
  func keys(of table: TableID) -> Set<RecordKey> {
    var keys = Set(pending.layer.tables[table]?.map(\.key) ?? [])
    keys.formUnion(saving?.layer.tables[table]?.map(\.key) ?? [])
    return keys
  }

  // MARK: Saving

  /// Moves what is edited into the layer that is being saved; nil if there is nothing.
  mutating func beginSave() throws(StoreError) -> (id: Int, layer: Layer)? {
    guard saving == nil else { fatalError("a save began while another one was under way") }
    try pending.checkRejected()
    if pending.layer.isEmpty { return nil }
    lastSave += 1
    let layer = pending.layer
    saving = (id: lastSave, layer: layer, firstGroup: pending.undo.beginSave())
    pending.layer = Layer()
    return (lastSave, layer)
  }

  /// Puts what could not be saved back under what was edited meanwhile, and notes what the writer
  /// found in the store.
  mutating func saveFailed(_ error: StoreError) {
    guard let failed = saving else { return }
    saving = nil
    pending.undo.saveFailed(failed.layer, from: failed.firstGroup)
    pending.layer = failed.layer.joined(with: pending.layer)
    for conflict in error.conflicts {
      theirs[conflict.table.id, default: [:]][conflict.key] = .some(conflict.theirs)
    }
  }

  // MARK: Merging

  /// Lays the layers over a later state of the store.
  ///
  /// - Parameters:
  ///   - changes: what was committed.
  ///   - completedSave: the save that is in the store now.
  ///   - stored: the records of edited keys in tables that were reset.
  /// - Returns: the keys whose layers may show something else now.
  mutating func merge(
    _ changes: ChangeSet?, completedSave: CompletedSave?, stored: [TableID: [RecordKey: Record?]]
  ) -> [TableID: Set<RecordKey>] {
    var touched: [TableID: Set<RecordKey>] = [:]
    if let saved = saving, let save = completedSave, saved.id == save.id {
      for (table, changes) in saved.layer.tables { touched[table] = Set(changes.map(\.key)) }
      pending.remember(saved.layer, as: changes?.tables ?? [:])
      let undone = pending.undo.didSave(
        saved.layer, as: save.changes, pending.model, from: saved.firstGroup)
      saving = nil
      settle(saved.layer, changes)
      for (table, key, change) in undone {
        pending.layer.replace(table, key) { $0.onTop(change) }
        touched[table, default: []].insert(key)
      }
      for (table, changes) in saved.layer.tables {
        for (key, _) in changes where pending.layer[table, key] == nil { theirs[table]?[key] = nil }
      }
    }
    for (table, changes) in changes?.tables ?? [:] {
      pending.follow(changes, table)
      let edited = keys(of: table)
      // A key that is not edited any more has no conflict, and nobody follows what it becomes.
      theirs[table] = theirs[table]?.filter { edited.contains($0.key) }
      for key in edited {
        let record: Record??
        switch changes {
        case .rows: record = changes[key].map(\.after)
        // A record that could not be read leaves its edit as it is.
        case .reset: record = stored[table]?[key]
        }
        guard let record else { continue }
        rebase(table, key, onto: record)
        touched[table, default: []].insert(key)
      }
    }
    pending.undo.follow(
      changes?.tables ?? [:], own: completedSave?.changes ?? [:], read: stored)
    return touched
  }

  /// The keys of reset tables that are edited or can be undone, whose stored records a merge needs.
  func keysToRead(for changes: ChangeSet?) -> [TableID: Set<RecordKey>] {
    var keys: [TableID: Set<RecordKey>] = [:]
    for (table, changes) in changes?.tables ?? [:] {
      guard case .reset = changes else { continue }
      let followed = self.keys(of: table).union(pending.undo.keys(of: table))
      if !followed.isEmpty { keys[table] = followed }
    }
    return keys
  }

  /// Lays what is edited over the rows that a save left as they were: a delete rule took the save's
  /// own edit of them back, or its policy dropped it.
  private mutating func settle(_ saved: Layer, _ changes: ChangeSet?) {
    for (table, edits) in saved.tables where !pending.layer.isEmpty {
      if case .reset? = changes?.tables[table] { continue }
      for (key, change) in edits where pending.layer[table, key] != nil {
        guard case .known(let change) = change, changes?.tables[table]?[key] == nil else {
          continue
        }
        // Of an insertion that was not written nobody knows what is there instead.
        guard
          let stored = theirs[table]?[key] ?? (change.before == nil ? nil : .some(change.before))
        else { continue }
        rebase(table, key, onto: stored)
      }
    }
  }

  // MARK: Undo

  /// Notes what the store has for a key that was just edited, so that undoing it later can tell
  /// what others did to it.
  mutating func followForUndo(_ table: TableID, _ key: RecordKey) {
    guard pending.undo.isRecording, pending.undo.stored(table, key) == nil else { return }
    if let theirs = theirs[table]?[key] { return pending.undo.note(theirs, table, key) }
    guard case .known(let change)? = saving?.layer[table, key] ?? pending.layer[table, key] else {
      return
    }
    pending.undo.note(change.before, table, key)
  }

  /// Drops what is left of an edit that has become what the store has.
  mutating func settle(_ table: TableID, _ key: RecordKey) {
    if let theirs = theirs[table]?[key] { rebase(table, key, onto: theirs) }
  }

  private mutating func rebase(_ table: TableID, _ key: RecordKey, onto stored: Record?) {
    var below = stored
    if let change = saving?.layer[table, key] {
      if let firstGroup = saving?.firstGroup, case .blind = change {
        // What was edited since is on top of what is being saved.
        pending.undo.meet(change.applied(to: stored), table, key, from: pending.undo.saveStart)
        pending.undo.meet(stored, table, key, from: firstGroup)
      }
      let rebased = change.onTop(of: stored, in: pending.model[table])
      saving?.layer[table, key] = rebased.map(LayerChange.known)
      if let rebased { below = rebased.after }
    }
    if let change = pending.layer[table, key] {
      if case .blind = change { pending.undo.meet(below, table, key) }
      pending.layer[table, key] = change.onTop(of: below, in: pending.model[table])
        .map(LayerChange.known)
    }
    let isEdited = saving?.layer[table, key] != nil || pending.layer[table, key] != nil
    theirs[table, default: [:]][key] = isEdited ? .some(stored) : nil
  }

  /// Discards what is edited and not being saved.
  ///
  /// - Returns: the keys that had edits.
  mutating func rollback() -> [TableID: Set<RecordKey>] {
    let touched = pending.layer.tables.mapValues { Set($0.map(\.key)) }
    pending.removeAll()
    return touched
  }

  // MARK: Conflicts

  /// Whether somebody else changed what is edited.
  var mayConflict: Bool { theirs.contains { !$0.value.isEmpty } }

  /// The edits that would conflict if they were saved now.
  var conflicts: [Conflict] {
    var found: [Conflict] = []
    for table in theirs.keys.sorted() where !pending.model[table].isJoin {
      for (key, stored) in (theirs[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let below = saving?.layer[table, key]
        // What is edited while the key is being saved is on top of the save.
        let edits = [
          (below, stored), (pending.layer[table, key], below?.applied(to: stored) ?? stored),
        ]
        for case (.known(let change)?, let stored) in edits {
          let table = pending.model[table]
          let attributes = change.conflicts(with: stored, count: table.columns.count)
          if attributes.isEmpty { continue }
          found.append(table.conflict(change, key: key, stored: stored, attributes: attributes))
        }
      }
    }
    return found
  }

  /// Makes of an edit in conflict what a policy leaves of it; an edit that is being saved is up to
  /// its save.
  ///
  /// - Returns: whether there was a conflict to resolve.
  mutating func resolve(_ conflict: Conflict, by policy: SavePolicy) -> Bool {
    let (table, key) = (conflict.table, conflict.key)
    guard policy != .error, saving?.layer[table.id, key] == nil,
      let stored = theirs[table.id]?[key], stored == conflict.theirs,
      case .known(let change)? = pending.layer[table.id, key]
    else { return false }
    let conflicting = change.conflicts(with: stored, count: table.columns.count)
    if conflicting.isEmpty { return false }
    let resolved = change.resolved(onto: stored, conflicting, by: policy)
    pending.layer[table.id, key] = resolved.map(LayerChange.known)
    if resolved == nil { theirs[table.id]?[key] = nil }
    return true
  }
}

extension Edits.Shown {
  init(_ record: Record?) { self = record.map(Self.record) ?? .deleted }

  /// What is shown under some changes, the lowest first.
  func under(_ changes: [LayerChange?]) -> Edits.Shown {
    changes.reduce(self) { shown, change in
      change.map { .init($0.applied(to: shown.record)) } ?? shown
    }
  }

  /// The record; nil if it is deleted or unknown.
  var record: Record? { if case .record(let record) = self { record } else { nil } }
}

extension LayerChange {
  /// The change as a context keeps it over a row; of a link that somebody removed nothing is left
  /// but an insertion.
  fileprivate func onTop(of row: Record?, in table: Table) -> Change? {
    guard let change = onTop(of: row) else { return nil }
    return table.isJoin && row == nil && change.before != nil ? nil : change
  }
}

extension LayerChange? {
  /// A change on top of what a layer has for a key, if anything.
  func onTop(_ change: Change) -> LayerChange? {
    map { $0.joined(with: .known(change)) } ?? LayerChange.known(change).normalized
  }
}
