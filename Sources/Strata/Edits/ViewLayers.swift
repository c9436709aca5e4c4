/// The view context's two layers over its snapshot, what is being saved and what is edited now, and
/// what the store has under them.
///
/// clean ─edit→ edited;  edited ─save→ saving;  saving ─edit→ saving and edited
/// saving ─merged→ clean or edited;  saving ─failed→ edited (both layers as one)
///
/// No commit changes a layer: an edit is what it was when it was made until it is saved, reverted or
/// resolved. A merge moves the rows under the layers, so what is shown, what conflicts and what is
/// saved depend on the edits and on the newest row alone, not on the commits in between.
struct ViewLayers {
  private var save = ViewSave()
  var pending: Edits
  private(set) var base = BaseRows()
  /// The edited keys that conflict: what a failed save found in the store, or unknown where ``base``
  /// says it.
  private var contested: [TableID: [RecordKey: RecordState]] = [:]

  init(_ model: Model, undoLimit: Int = 0) {
    pending = Edits(model, undoLimit: undoLimit)
  }

  /// The edits that are being saved.
  var saving: ViewSave.Cargo? { save.cargo }

  var isSaving: Bool { saving != nil }

  /// Both layers over one another.
  var stack: LayerStack {
    LayerStack().adding(saving?.layer ?? Layer(), followsRows: true)
      .adding(pending.layer, followsRows: true)
  }

  // MARK: Reading

  /// What the context shows of a row.
  ///
  /// - Parameter other: what the caller knows of the store's row; counts if the key is not followed.
  func state(of key: RecordKey, in table: Table, or other: RecordState) -> RecordState {
    let known = base[table.id, key]
    return (known.isKnown ? known : other)
      .under(saving?.layer[table.id, key], in: table)
      .under(pending.layer[table.id, key], in: table)
  }

  /// Whether a key has edits.
  func edits(_ key: RecordKey, in table: TableID) -> Bool {
    pending.layer[table, key] != nil || saving?.layer[table, key] != nil
  }

  // MARK: Editing

  /// Follows a key that is about to be edited.
  mutating func follow(_ key: RecordKey, in table: TableID, _ state: RecordState) {
    base.follow(key, in: table, state)
  }

  /// Whether a key is followed, its row known or not.
  func isFollowed(_ key: RecordKey, in table: TableID) -> Bool { base.contains(key, in: table) }

  /// Takes the rows of followed keys from a result that was loaded at the context's commit.
  ///
  /// - Returns: the keys whose rows were not known.
  mutating func learn(from result: ResultTree, of table: Table) -> Set<RecordKey> {
    var learned: Set<RecordKey> = []
    for key in base.unknownKeys(of: table.id) {
      guard let record = result.record(of: key) else { continue }
      base.learn(record.prefix(table.columns.count), key, in: table.id)
      learned.insert(key)
    }
    return learned
  }

  /// Takes the row of a followed key that was read at the context's commit, or at an earlier one if
  /// nobody wrote the row since.
  mutating func learn(_ record: Record?, _ key: RecordKey, in table: TableID) {
    if !base[table, key].isKnown { base.learn(record, key, in: table) }
  }

  /// Notes that the edits of a key, or the row below them, are others: whether they conflict now.
  mutating func didEdit(_ key: RecordKey, in table: Table) {
    if !edits(key, in: table.id) || conflicts(of: key, in: table).isEmpty {
      if contested[table.id]?[key] != nil { endContest(key, in: table.id) }
    } else if contested[table.id]?[key] == nil {
      contested[table.id, default: [:]][key] = .unknown
    }
  }

  // MARK: Saving

  /// Moves what is edited into the layer that is being saved; nil if there is nothing.
  mutating func beginSave() throws(StoreError) -> ViewSave.Cargo? {
    try pending.checkRejected()
    if pending.layer.isEmpty { return nil }
    let cargo = save.begin(pending.layer, firstPart: pending.undo.beginSave())
    pending.layer = Layer()
    return cargo
  }

  /// Puts what could not be saved back under what was edited meanwhile, and notes what the writer
  /// found in the store.
  ///
  /// - Returns: the keys that were edited again meanwhile: edits that cancel each other show the
  ///   store's row.
  mutating func saveFailed(_ error: StoreError) -> [(table: TableID, key: RecordKey)] {
    guard let failed = save.failed() else { return [] }
    pending.undo.saveFailed(failed.layer, from: failed.firstPart)
    let later = pending.layer
    pending.layer = failed.layer
    pending.layer.compose(later)
    for conflict in error.conflicts {
      contested[conflict.table.id, default: [:]][conflict.key] = RecordState(conflict.theirs)
    }
    return later.tables.flatMap { table, changes in
      changes.filter { failed.layer[table, $0.key] != nil }.map { (table, $0.key) }
    }
  }

  // MARK: Merging

  /// Brings the rows under the layers to a later commit.
  ///
  /// - Parameters:
  ///   - changes: what was committed.
  ///   - completedSave: the save that is in the store now.
  ///   - read: the rows of followed keys in tables of which nobody knows what changed.
  /// - Returns: the edited keys of which something else may be shown now.
  mutating func merge(
    _ changes: ChangeSet?, completedSave: CompletedSave?, read: [TableID: [RecordKey: Record?]]
  ) -> [TableID: Set<RecordKey>] {
    var touched: [TableID: Set<RecordKey>] = [:]
    if let completedSave, let saved = save.committed(completedSave.id) {
      end(saved, completedSave.report, &touched)
    }
    for (table, changes) in changes?.tables ?? [:] {
      var base = base
      self.base = BaseRows()  // not a second reference
      base.follow(changes, in: table, read: read[table]) { row in
        if edits(row.key, in: table) { touched[table, default: []].insert(row.key) }
      }
      base.trim(table) { edits($0, in: table) || pending.undo.contains(table, $0) }
      self.base = base
    }
    for (table, keys) in touched {
      for key in keys {
        // What a failed save reported is older than what was merged.
        contested[table]?[key] = nil
        didEdit(key, in: pending.model[table])
      }
      if contested[table]?.isEmpty == true { contested[table] = nil }
    }
    return touched
  }

  private mutating func end(
    _ saved: ViewSave.Cargo, _ report: SaveReport, _ touched: inout [TableID: Set<RecordKey>]
  ) {
    for (table, edits) in saved.layer.tables {
      touched[table] = Set(edits.map(\.key))
    }
    for (table, changes) in report.changes {
      guard case .rows(let rows) = changes else { continue }
      for row in rows { base.learn(row.change.after, row.key, in: table) }
    }
    // A rule may leave a row as the store had it, which is no change.
    for effect in report.effects where report.changes[effect.table]?[effect.key] == nil {
      base.learn(effect.change.after, effect.key, in: effect.table)
    }
    let undone = pending.undo.didSave(saved.layer, as: report, from: saved.firstPart)
    for (table, key, change) in undone {
      pending.layer.compose(.known(change), table, key)
      touched[table, default: []].insert(key)
    }
  }

  /// The keys of reset tables whose stored records a merge needs.
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

  /// Discards what is edited and not being saved.
  ///
  /// - Returns: the keys that had edits.
  mutating func rollback() -> [TableID: Set<RecordKey>] {
    let touched = pending.layer.tables.mapValues { Set($0.map(\.key)) }
    pending.removeAll()
    for (table, keys) in touched {
      for key in keys { didEdit(key, in: pending.model[table]) }
    }
    return touched
  }

  // MARK: Conflicts

  /// Whether somebody else changed what is edited.
  var mayConflict: Bool { !contested.isEmpty }

  /// What the store has for a contested key, as far as the context was told.
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

  /// The edits of a key that would conflict, with what is known of the store's row.
  private func conflicts(of key: RecordKey, in table: Table) -> [Conflict] {
    // A link never conflicts.
    if table.isJoin { return [] }
    var found: [Conflict] = []
    var below = stored(table.id, key)
    // What is edited while the key is being saved is on top of the save.
    for edit in [saving?.layer[table.id, key], pending.layer[table.id, key]] {
      if below.isKnown, case .known(let change)? = edit {
        let attributes = change.conflicts(with: below.record, count: table.columns.count)
        if !attributes.isEmpty {
          found.append(
            table.conflict(change, key: key, stored: below.record, attributes: attributes))
        }
      }
      below = below.under(edit, in: table)
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
      stored(table.id, key) == RecordState(conflict.theirs),
      case .known(let change)? = pending.layer[table.id, key]
    else { return false }
    let conflicting = change.conflicts(with: conflict.theirs, count: table.columns.count)
    if conflicting.isEmpty { return false }
    let resolved = change.resolved(onto: conflict.theirs, conflicting, by: policy)
    pending.layer[table.id, key] = resolved.map(LayerChange.known)
    didEdit(key, in: table)
    return true
  }
}
