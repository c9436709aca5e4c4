/// What a context can undo and redo: groups of edits, the newest last.
///
/// Unsaved groups are kept as the layers are: others' commits are worked into them. When a save is
/// in the store, its groups become what the writer wrote, rows that delete rules touched included.
///
/// closed ─edit→ event open ─end of the turn→ closed
/// any ─begin→ group open ─begin→ deeper ─end→ … ─end→ closed
struct UndoHistory: Sendable {
  /// Where recorded edits go.
  private enum Target {
    case undoable, redoable
  }

  private enum Recording {
    /// No group is open: the next edit opens an event.
    case closed
    /// Every edit until the end of the turn belongs to one group.
    case event(UndoGroup)
    /// Begun and not yet ended, so many times.
    case group(UndoGroup, depth: Int)
  }

  /// The most groups kept for undo, and for redo; zero records nothing.
  private(set) var limit: Int
  private(set) var undoable: [UndoGroup] = []
  private(set) var redoable: [UndoGroup] = []
  private var recording = Recording.closed
  private var lastNumber = 0
  /// What the store has for the keys of the groups, as far as the context was told.
  private var stored: [TableID: [RecordKey: Record?]] = [:]

  init(limit: Int) { self.limit = limit }

  var isRecording: Bool { limit > 0 }

  mutating func setLimit(_ limit: Int) {
    self.limit = max(0, limit)
    if limit <= 0 { removeAll() } else { trim() }
  }

  /// Whether there is something to undo; what is edited right now counts.
  var canUndo: Bool { !undoable.isEmpty || isEventOpen }
  var canRedo: Bool { !redoable.isEmpty }
  var undoName: String? { isEventOpen ? nil : undoable.last?.name }
  var redoName: String? { redoable.last?.name }

  // MARK: Groups

  mutating func begin(_ name: String?) {
    if case .group(var group, let depth) = recording {
      if group.name == nil { group.name = name }
      recording = .group(group, depth: depth + 1)
      return
    }
    endEvent()
    recording = .group(newGroup(name), depth: 1)
  }

  mutating func end() {
    switch recording {
    case .group(let group, depth: 1):
      recording = .closed
      push(group)
    case .group(let group, let depth): recording = .group(group, depth: depth - 1)
    case .closed, .event: fatalError("endUndoGroup without beginUndoGroup")
    }
  }

  /// Ends the group of one event; one that was begun explicitly goes on.
  mutating func endEvent() {
    guard case .event(let group) = recording else { return }
    recording = .closed
    push(group)
  }

  private mutating func newGroup(_ name: String?) -> UndoGroup {
    lastNumber += 1
    return UndoGroup(name: name, number: lastNumber)
  }

  private mutating func push(_ group: UndoGroup) {
    if group.isEmpty { return }
    undoable.append(group)
    trim()
  }

  private mutating func trim() {
    if undoable.count <= limit && redoable.count <= limit { return }
    undoable = undoable.suffix(limit)
    redoable = redoable.suffix(limit)
    let kept = undoable + redoable
    stored = stored.reduce(into: [:]) { result, table in
      let keys = table.value.filter { key, _ in kept.contains { $0[table.key, key] != nil } }
      if !keys.isEmpty { result[table.key] = keys }
    }
  }

  mutating func removeAll() {
    undoable = []
    redoable = []
    stored = [:]
    if case .group(let group, let depth) = recording {
      recording = .group(UndoGroup(name: group.name, number: group.number), depth: depth)
    } else {
      recording = .closed
    }
  }

  // MARK: Recording

  /// Whether the group of an event is open, which whoever holds the history ends with the turn.
  var isEventOpen: Bool { if case .event = recording { true } else { false } }

  /// Notes an edit; what was undone before can be redone no more.
  mutating func record(_ change: UndoChange, _ table: TableID, _ key: RecordKey) {
    guard isRecording else { return }
    redoable = []
    switch recording {
    case .closed:
      var group = newGroup(nil)
      group.add(change, table, key)
      recording = .event(group)
    case .event(var group):
      recording = .closed
      group.add(change, table, key)
      recording = .event(group)
    case .group(var group, let depth):
      recording = .closed
      group.add(change, table, key)
      recording = .group(group, depth: depth)
    }
  }

  /// Takes the newest group that can be undone, or redone; an open group must have ended.
  mutating func pop(redo: Bool) -> UndoGroup? {
    endEvent()
    if case .group = recording { fatalError("undo inside an undo group: end the group first") }
    return redo ? redoable.popLast() : undoable.popLast()
  }

  /// Keeps what undoing a group did, to be redone, or the other way round.
  mutating func keep(
    _ changes: [(table: TableID, key: RecordKey, change: UndoChange)], of group: UndoGroup,
    redo: Bool
  ) {
    var done = newGroup(group.name)
    for (table, key, change) in changes { done.add(change, table, key) }
    if done.isEmpty { return }
    if redo { undoable.append(done) } else { redoable.append(done) }
    trim()
  }

  // MARK: The store underneath

  /// What the store has for a key of a group; nil if nobody said.
  func stored(_ table: TableID, _ key: RecordKey) -> Record?? { stored[table]?[key] }

  /// Notes what the store has for a key, unless it is known.
  mutating func note(_ record: Record?, _ table: TableID, _ key: RecordKey) {
    guard isRecording, stored[table]?[key] == nil else { return }
    stored[table, default: [:]][key] = .some(record)
  }

  /// The keys of a table whose stored records the history follows.
  func keys(of table: TableID) -> Set<RecordKey> { Set(stored[table].map { $0.keys } ?? [:].keys) }

  /// Follows what was committed.
  ///
  /// - Parameters:
  ///   - own: what this context's own save wrote among it.
  ///   - read: the records of tables that were reset.
  mutating func follow(
    _ changes: [TableID: TableChanges], own: [TableID: TableChanges],
    read: [TableID: [RecordKey: Record?]]
  ) {
    for (table, changes) in changes {
      for key in keys(of: table) {
        switch changes {
        case .reset: stored[table]?[key] = read[table]?[key]
        case .rows:
          guard let change = changes[key] else { continue }
          stored[table]?[key] = .some(change.after)
          if own[table]?[key] == nil { update { $0.follow(change, table, key) } }
        }
      }
    }
  }

  /// Makes the groups of a save what the writer wrote.
  ///
  /// What no group did, a delete rule did: it belongs to the group that deleted what the row
  /// referred to.
  mutating func didSave(_ layer: Layer, as written: [TableID: TableChanges], _ model: Model) {
    endEvent()
    if undoable.isEmpty && redoable.isEmpty { return }
    var extras: [(table: Table, key: RecordKey, change: Change)] = []
    for (id, changes) in written {
      guard case .rows(let rows) = changes else { continue }
      for row in rows {
        switch layer[id, row.key] {
        case .blind?: updateNewest(id, row.key) { _ in .known(row.change) }
        case .known(let change)? where change.after == nil && row.change.after == nil:
          updateNewest(id, row.key) { $0.deleting(row.change.before, believed: change.before) }
        case .known(let change)?:
          if let extra = row.change.beyond(change) { extras.append((model[id], row.key, extra)) }
        case nil: extras.append((model[id], row.key, row.change))
        }
      }
    }
    var left = extras.count
    while !extras.isEmpty {
      extras.removeAll { addToCause($0.table, $0.key, $0.change) }
      // What nothing explains any more is left to the store.
      if extras.count == left { break }
      left = extras.count
    }
  }

  /// Adds what a delete rule did to the newest group that deleted what the row referred to.
  private mutating func addToCause(_ table: Table, _ key: RecordKey, _ change: Change) -> Bool {
    guard let before = change.before else { return true }
    let targets = table.references.filter { reference in
      !before.isNull(reference.column)
        && change.after.map { $0.differs(from: before, at: reference.column) } ?? true
    }
    let causes = (undoable + redoable).filter { group in
      targets.contains { group.deletes($0.target, before.key($0.column)) }
    }
    guard let cause = causes.map(\.number).max() else { return false }
    update { group in
      if group.number == cause { group.add(.known(change), table.id, key) }
    }
    stored[table.id, default: [:]][key] = .some(change.after)
    return true
  }

  private mutating func updateNewest(
    _ table: TableID, _ key: RecordKey, _ body: (UndoChange) -> UndoChange
  ) {
    let newest = (undoable + redoable).filter { $0[table, key] != nil }.map(\.number).max()
    update { group in
      if group.number == newest { group[table, key] = group[table, key].map(body) }
    }
  }

  private mutating func update(_ body: (inout UndoGroup) -> Void) {
    for index in undoable.indices { body(&undoable[index]) }
    for index in redoable.indices { body(&redoable[index]) }
  }
}

extension UndoChange {
  /// The deletion of a row that was not quite what the context believed.
  fileprivate func deleting(_ stored: Record?, believed: Record?) -> UndoChange {
    guard case .known(let change) = self, let before = change.before, let stored, let believed
    else { return self }
    let others = stored.differences(from: believed)
    return .known(Change(before: before.replacing(others, from: stored), after: nil))
  }
}

extension UndoGroup {
  /// Works somebody else's commit into a deletion that is to be undone: what comes back is the row
  /// as others have made it.
  fileprivate mutating func follow(_ change: Change, _ table: TableID, _ key: RecordKey) {
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
