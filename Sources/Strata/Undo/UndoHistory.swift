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
  /// What the store has for the keys of the groups, as far as the context was told.
  private(set) var stored: [TableID: [RecordKey: Record?]] = [:]

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
    lastNumber += 1
    return UndoGroup(name: name, number: lastNumber)
  }

  private mutating func push(_ group: UndoGroup) {
    if group.isEmpty { return }
    undoable.append(group)
    trim()
  }

  private mutating func trim() {
    let dropped =
      undoable.prefix(max(0, undoable.count - limit))
      + redoable.prefix(max(0, redoable.count - limit))
    undoable = undoable.suffix(limit)
    redoable = redoable.suffix(limit)
    forgetStored(of: Array(dropped))
  }

  /// Stops following keys that only these groups had.
  private mutating func forgetStored(of dropped: [UndoGroup]) {
    for group in dropped {
      for (table, keys) in group.tables where stored[table] != nil {
        for key in keys.keys where !hasGroup(with: table, key) { stored[table]?[key] = nil }
      }
    }
  }

  private func hasGroup(with table: TableID, _ key: RecordKey) -> Bool {
    undoable.contains { $0[table, key] != nil } || redoable.contains { $0[table, key] != nil }
      || open?[table, key] != nil
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
    if !redoable.isEmpty {
      let dropped = redoable
      redoable = []
      forgetStored(of: dropped)
    }
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
    forgetStored(of: [group])
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

  /// Changes every group from a number on, the open one included, in the order of their numbers
  /// within each of undo and redo.
  mutating func update(
    from first: Int = 0, below end: Int = .max, _ body: (inout UndoGroup) -> Void
  ) {
    let numbers = first..<max(first, end)
    for index in undoable.indices where numbers.contains(undoable[index].number) {
      body(&undoable[index])
    }
    for index in redoable.indices where numbers.contains(redoable[index].number) {
      body(&redoable[index])
    }
    if let open, numbers.contains(open.number) { updateOpen(body) }
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
      guard let followed = stored[table], !followed.isEmpty else { continue }
      switch changes {
      case .reset:
        for (key, was) in followed {
          stored[table]?[key] = read[table]?[key]
          if let now = read[table]?[key], now != was {
            didChange(Change(before: was, after: now), own, table, key)
          }
        }
      case .rows(let rows) where rows.count < followed.count:
        for row in rows where followed[row.key] != nil { follow(row.change, own, table, row.key) }
      case .rows:
        for key in followed.keys { changes[key].map { follow($0, own, table, key) } }
      }
    }
  }

  private mutating func follow(
    _ change: Change, _ own: [TableID: TableChanges], _ table: TableID, _ key: RecordKey
  ) {
    stored[table]?[key] = .some(change.after)
    didChange(change, own, table, key)
  }

  /// Works somebody else's commit into the groups.
  private mutating func didChange(
    _ change: Change, _ own: [TableID: TableChanges], _ table: TableID, _ key: RecordKey
  ) {
    if own[table]?[key] == nil { update { $0.follow(change, table, key) } }
  }

  /// Makes known what blind edits of a row did, now that the row is known; a group that did nothing
  /// is none.
  mutating func meet(
    _ row: Record?, _ table: TableID, _ key: RecordKey, from first: Int = 0, below end: Int = .max
  ) {
    update(from: first, below: end) { $0.meet(row, table, key) }
    undoable.removeAll { $0.isEmpty }
    redoable.removeAll { $0.isEmpty }
  }

  /// Notes that a save has begun: its groups are those since the one before.
  ///
  /// - Returns: the number of the first of them.
  mutating func beginSave() -> Int {
    defer { saveStart = lastNumber + 1 }
    return saveStart
  }

  /// Notes that a save failed: its groups belong to the next one, and what was edited meanwhile is
  /// on top of its layer now.
  mutating func saveFailed(_ layer: Layer, from number: Int) {
    update(from: saveStart) { $0.join(onto: layer) }
    saveStart = number
  }
}
