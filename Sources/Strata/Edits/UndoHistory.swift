/// The groups of edits that a context can undo and redo, the newest last.
///
/// closed ─edit→ event open ─end of the turn→ closed
/// any ─begin→ group open ─begin→ deeper ─end→ … ─end→ closed
struct UndoHistory: Sendable {
  private enum Recording {
    /// No group is open: the next edit opens an event.
    case closed
    /// All edits until the end of the turn belong to one group.
    case event(UndoGroup)
    /// A group was begun explicitly; `depth` counts the calls of `begin` without their `end`.
    case group(UndoGroup, depth: Int)
  }

  /// The maximum number of groups kept for undo, and for redo; zero records nothing.
  private(set) var limit: Int
  private(set) var undoable: [UndoGroup] = []
  private(set) var redoable: [UndoGroup] = []
  private var recording = Recording.closed
  private(set) var lastNumber = 0
  /// The number of the first part that no save has begun to write.
  private(set) var saveStart = 1
  /// The numbers of the newest save's parts.
  private var savedParts = 0..<0
  /// The rows whose deletion the newest save has, and that was undone since the save began: whether each
  /// is there, or is deleted again.
  private var returned: [TableID: [RecordKey: Bool]] = [:]

  let model: Model

  init(_ model: Model, limit: Int) {
    self.model = model
    self.limit = limit
  }

  var isRecording: Bool { limit > 0 }

  mutating func setLimit(_ limit: Int) {
    self.limit = max(0, limit)
    if limit <= 0 { removeAll() } else { trim() }
  }

  /// Whether there is a group to undo.
  ///
  /// The open group of an event counts. While an explicit group is open, nothing can be undone.
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

  /// Ends the open group of an event; an explicit group stays open.
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
    undoable.removeFirst(max(0, undoable.count - limit))
    redoable.removeFirst(max(0, redoable.count - limit))
  }

  /// Returns whether a group has edits of a key.
  func contains(_ table: TableID, _ key: RecordKey) -> Bool {
    undoable.contains { $0.contains(table, key) } || redoable.contains { $0.contains(table, key) }
      || open?.contains(table, key) == true
  }

  mutating func removeAll() {
    undoable = []
    redoable = []
    returned = [:]
    if case .group(let group, let depth) = recording {
      recording = .group(newGroup(group.name), depth: depth)
    } else {
      recording = .closed
    }
  }

  // MARK: Recording

  /// Whether the group of an event is open; the owner of the history ends it with the turn.
  var isEventOpen: Bool { if case .event = recording { true } else { false } }

  /// Records an edit, and clears the groups that could be redone.
  mutating func record(_ change: UndoChange, _ table: TableID, _ key: RecordKey) {
    guard isRecording else { return }
    redoable = []
    if !change.leavesRow { returned[table]?[key]? = false }
    if case .closed = recording { recording = .event(newGroup(nil)) }
    let table = model[table]
    updateOpen { $0.add(change, table, key) }
  }

  /// The number of the newest group to undo or redo; nil if there is none, or if an explicit group is open.
  mutating func newestGroup(redo: Bool) -> Int? {
    endEvent()
    if isGroupOpen { return nil }
    return (redo ? redoable.last : undoable.last)?.number
  }

  /// Removes and returns a group to undo or redo; nil if there is none with the number.
  mutating func pop(_ number: Int, redo: Bool) -> UndoGroup? {
    guard let index = (redo ? redoable : undoable).lastIndex(where: { $0.number == number }) else {
      return nil
    }
    return redo ? redoable.remove(at: index) : undoable.remove(at: index)
  }

  /// Returns the keys of the group that ``pop(_:redo:)`` would return.
  func keysToRevert(_ number: Int, redo: Bool) -> [TableID: Set<RecordKey>] {
    let group = (redo ? redoable : undoable).last { $0.number == number }
    return group?.changes(model).mapValues { Set($0.keys) } ?? [:]
  }

  /// Puts back a group that was removed and not undone.
  mutating func restore(_ group: UndoGroup, redo: Bool) {
    if redo { redoable.append(group) } else { undoable.append(group) }
  }

  /// Keeps the changes of an undo for redo, or the changes of a redo for undo.
  mutating func keep(
    _ changes: [(table: TableID, key: RecordKey, change: UndoChange)], of group: UndoGroup,
    redo: Bool
  ) {
    var done = newGroup(group.name)
    for (table, key, change) in changes {
      done.add(change, model[table], key)
      let isUndone = group.parts.contains {
        savedParts.contains($0.number) && $0[table, key]?.isDeletion == true
      }
      if isUndone || returned[table]?[key] != nil {
        returned[table, default: [:]][key] = change.leavesRow
      }
    }
    if !done.isEmpty { restore(done, redo: !redo) }
    trim()
  }

  /// Returns whether a row is there again whose deletion was undone during its save; nil if the deletion
  /// was not undone.
  func hasReturned(_ key: RecordKey, in table: TableID) -> Bool? { returned[table]?[key] }

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

  /// Changes every part whose number is in a range, including the parts of the open group.
  ///
  /// Within the groups for undo and within the groups for redo, `body` gets the parts in the order
  /// of their numbers.
  mutating func update(
    from first: Int = 0, below end: Int = .max, _ body: (inout UndoGroup.Part) -> Void
  ) {
    let numbers = first..<max(first, end)
    for index in undoable.indices { undoable[index].update(numbers, body) }
    for index in redoable.indices { redoable[index].update(numbers, body) }
    updateOpen { $0.update(numbers, body) }
  }

  /// Returns the number of the newest part in a range that meets a condition.
  func newestPart(
    from first: Int, below end: Int = .max, where condition: (UndoGroup.Part) -> Bool
  ) -> Int? {
    let groups = undoable + redoable + [open].compactMap { $0 }
    return groups.flatMap(\.parts).filter { $0.number >= first && $0.number < end }
      .filter(condition).map(\.number).max()
  }

  // MARK: The store underneath

  /// Determines the effect of blind edits on a row that is known now.
  ///
  /// Groups without an effect are removed.
  mutating func meet(
    _ row: Record?, _ table: TableID, _ key: RecordKey, from first: Int = 0, below end: Int = .max
  ) {
    update(from: first, below: end) { $0.meet(row, table, key) }
    undoable.removeAll { $0.isEmpty }
    redoable.removeAll { $0.isEmpty }
  }

  // MARK: Saves

  /// Begins a save, which has all parts since the previous save.
  ///
  /// - Returns: the number of the save's first part.
  mutating func beginSave() -> Int {
    let first = saveStart
    saveStart = lastNumber + 1
    (savedParts, returned) = (first..<saveStart, [:])
    if open != nil {
      let number = newNumber()
      updateOpen { $0.divide(number) }
    }
    return first
  }

  /// Ends a failed save, whose parts belong to the next save.
  ///
  /// Edits made since the save began lie on top of its layer now.
  mutating func saveFailed(_ layer: Layer, from number: Int) {
    update(from: saveStart) { $0.join(onto: layer) }
    saveStart = number
  }
}
