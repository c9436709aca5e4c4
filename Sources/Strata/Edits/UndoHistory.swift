/// What a context can undo and redo: groups of edits, the newest last.
///
/// closed ─edit→ event open ─end of the turn→ closed
/// any ─begin→ group open ─begin→ deeper ─end→ … ─end→ closed
struct UndoHistory: Sendable {
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
  private(set) var lastNumber = 0
  /// The number of the first group that no save has begun to write.
  private(set) var saveStart = 1

  init(limit: Int) { self.limit = limit }

  var isRecording: Bool { limit > 0 }

  mutating func setLimit(_ limit: Int) {
    self.limit = max(0, limit)
    if limit <= 0 { removeAll() } else { trim() }
  }

  /// Whether there is something to undo; what is edited right now counts, an open group does not.
  var canUndo: Bool { !isGroupOpen && (!undoable.isEmpty || isEventOpen) }
  var canRedo: Bool { !isGroupOpen && !redoable.isEmpty }
  var undoName: String? { isEventOpen || isGroupOpen ? nil : undoable.last?.name }
  var redoName: String? { isGroupOpen ? nil : redoable.last?.name }

  private var isGroupOpen: Bool { if case .group = recording { true } else { false } }

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
    UndoGroup(name: name, number: newNumber())
  }

  private mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func push(_ group: UndoGroup) {
    if group.isEmpty { return }
    undoable.append(group)
    trim()
  }

  private mutating func trim() {
    undoable = undoable.suffix(limit)
    redoable = redoable.suffix(limit)
  }

  /// Whether a group has edits of a key.
  func contains(_ table: TableID, _ key: RecordKey) -> Bool {
    undoable.contains { $0.contains(table, key) } || redoable.contains { $0.contains(table, key) }
      || open?.contains(table, key) == true
  }

  mutating func removeAll() {
    undoable = []
    redoable = []
    if case .group(let group, let depth) = recording {
      recording = .group(newGroup(group.name), depth: depth)
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
    if case .closed = recording { recording = .event(newGroup(nil)) }
    updateOpen { $0.add(change, table, key) }
  }

  /// Takes the newest group that can be undone, or redone; none while a group is open.
  mutating func pop(redo: Bool) -> UndoGroup? {
    endEvent()
    if isGroupOpen { return nil }
    return redo ? redoable.popLast() : undoable.popLast()
  }

  /// Puts back a group that was taken and not undone.
  mutating func restore(_ group: UndoGroup, redo: Bool) {
    if redo { redoable.append(group) } else { undoable.append(group) }
  }

  /// Keeps what undoing a group did, to be redone, or the other way round.
  mutating func keep(
    _ changes: [(table: TableID, key: RecordKey, change: UndoChange)], of group: UndoGroup,
    redo: Bool
  ) {
    var done = newGroup(group.name)
    for (table, key, change) in changes { done.add(change, table, key) }
    if !done.isEmpty { restore(done, redo: !redo) }
    trim()
  }

  // MARK: All groups

  private var open: UndoGroup? {
    switch recording {
    case .closed: nil
    case .event(let group), .group(let group, _): group
    }
  }

  private mutating func updateOpen(_ body: (inout UndoGroup) -> Void) {
    switch recording {
    case .closed: break
    case .event(var group):
      recording = .closed
      body(&group)
      recording = .event(group)
    case .group(var group, let depth):
      recording = .closed
      body(&group)
      recording = .group(group, depth: depth)
    }
  }

  /// Changes every part of a group from a number on, the open group included, in the order of
  /// their numbers within each of undo and redo.
  mutating func update(
    from first: Int = 0, below end: Int = .max, _ body: (inout UndoGroup.Part) -> Void
  ) {
    let numbers = first..<max(first, end)
    for index in undoable.indices { undoable[index].update(numbers, body) }
    for index in redoable.indices { redoable[index].update(numbers, body) }
    updateOpen { $0.update(numbers, body) }
  }

  /// The number of the newest part that fulfils a condition, of those from a number on.
  func newestPart(
    from first: Int, below end: Int = .max, where condition: (UndoGroup.Part) -> Bool
  ) -> Int? {
    let groups = undoable + redoable + [open].compactMap { $0 }
    return groups.flatMap(\.parts).filter { $0.number >= first && $0.number < end }
      .filter(condition).map(\.number).max()
  }

  // MARK: The store underneath

  /// Makes known what blind edits of a row did, now that the row is known; a group that did nothing
  /// is none.
  mutating func meet(
    _ row: Record?, _ table: TableID, _ key: RecordKey, from first: Int = 0, below end: Int = .max
  ) {
    update(from: first, below: end) { $0.meet(row, table, key) }
    undoable.removeAll { $0.isEmpty }
    redoable.removeAll { $0.isEmpty }
  }

  // MARK: Saves

  /// Notes that a save has begun: its parts are those since the one before.
  ///
  /// - Returns: the number of the first of them.
  mutating func beginSave() -> Int {
    let first = saveStart
    saveStart = lastNumber + 1
    if open != nil {
      let number = newNumber()
      updateOpen { $0.divide(number) }
    }
    return first
  }

  /// Notes that a save failed: its parts belong to the next one, and what was edited meanwhile is
  /// on top of its layer now.
  mutating func saveFailed(_ layer: Layer, from number: Int) {
    update(from: saveStart) { $0.join(onto: layer) }
    saveStart = number
  }
}
