import Strata

// Undo, redo and the resolution of conflicts in a history's view context.

extension ContextHistory {
  /// Makes a group of edits, which may begin with the deletion of a row that others refer to.
  ///
  /// - Returns: whether the context can undo the group. Edits that cancel each other out make none.
  private func makeGroup(deletesParent: Bool = false) throws -> Bool {
    let before = pending
    let name = "group \(random.next())"
    view.beginUndoGroup(name)
    if deletesParent { try deleteParent() }
    for _ in 0...random.below(2) { try editView() }
    view.endUndoGroup()
    let isThere = view.undoName == name
    try require(
      isThere || pending.hasSameEdits(as: before), "no group to undo of the last edits")
    return isThere
  }

  /// Makes a group of edits and undoes it. The second stack may commit in between.
  func undo() async throws {
    try await finishSave()
    let before = pending
    let isThere = try makeGroup()
    let group = pending
    if random.oneIn(3) { try await commitElsewhere() }
    try screen.check(self)
    let layer = try shown()
    if !isThere { return }
    view.undo()
    note("view undoes", "undone")
    // Undo leaves an attribute alone that another commit has changed meanwhile.
    let base = states[view.commit] ?? PlainRows()
    if base.under([group]) == layer, isUndisturbed(group, since: before, base) {
      pending = before
      try screen.check(self)
      if random.oneIn(2) {
        view.redo()
        log.add("view redoes")
        pending = group
      }
    } else {
      rollback()
    }
  }

  /// Returns whether no other commit has written a row that the group edited.
  ///
  /// The row below is then still the row that the edit started from.
  private func isUndisturbed(
    _ group: PlainLayer, since before: PlainLayer, _ base: PlainRows
  ) -> Bool {
    for (table, edits) in group.edits {
      for (key, edit) in edits where before.edits[table]?[key] != edit {
        guard case .seen(let start, _) = edit, base[table, key] == start else { return false }
      }
    }
    for (table, edits) in before.edits {
      for key in edits.keys where group.edits[table]?[key] == nil {
        guard case .seen(let start, _)? = edits[key], base[table, key] == start else {
          return false
        }
      }
    }
    return true
  }

  /// Makes groups of edits in one turn, undoes some of them, and redoes some of those.
  func undoSeveral() async throws {
    try await finishSave()
    if !pending.isEmpty { return }
    var states = [pending]
    for _ in 0..<2 + random.below(3) {
      if try makeGroup() { states.append(pending) } else { states[states.count - 1] = pending }
    }
    let newest = states.count - 1
    let oldest = max(0, newest - view.undoLimit)
    let (undone, redone) = (
      newest - random.below(newest - oldest + 1), newest - random.below(newest - oldest + 1)
    )
    for state in stride(from: newest - 1, through: undone, by: -1) {
      try require(view.undo()?.isComplete == true, "the group of \(states[state + 1]) stays")
      pending = states[state]
      note("view undoes one of several", "undoneInTurn")
      try screen.check(self)
    }
    for state in stride(from: undone + 1, through: redone, by: 1) {
      try require(view.redo()?.isComplete == true, "the group of \(states[state]) does not return")
      pending = states[state]
      note("view redoes one of several", "redoneInTurn")
      try screen.check(self)
    }
  }

  /// Saves a group of edits and undoes it, with the effects of delete rules.
  func undoSaved() async throws {
    try await finishSave()
    if !pending.isEmpty { return }
    try await view.waitUntilMerged(newest)
    let before = current
    let isThere = try makeGroup()
    try await saveView(.error)
    // A refused save leaves its edits.
    guard isThere, pending.isEmpty, before != current else { return }
    try require(view.undo()?.isComplete == true, "the saved group stays")
    pending = current.changes(to: before)
    note("view undoes what it saved", "undoneSaves")
    try screen.check(self)
    // The plain layers have no ordered links.
    if before.readings != current.readings { rollback() }
  }

  /// Undoes a group of edits while it is being saved, and perhaps redoes it or edits on.
  func undoDuringSave() async throws {
    try await finishSave()
    if !pending.isEmpty { rollback() }
    try await view.waitUntilMerged(newest)
    let before = current
    let isThere = try makeGroup(deletesParent: random.oneIn(2))
    if !isThere || pending.isEmpty { return }
    let (layer, outcome) = (pending, before.saving(pending, .error))
    var hasEnded = false
    let saving = Task {
      defer { hasEnded = true }
      return try await self.code { try await self.view.save() }
    }
    while !view.isSaving && !hasEnded { await Task.yield() }
    for _ in 0..<random.below(6) { await Task.yield() }
    let isUndone = view.isSaving && view.undo()?.isComplete == true
    let isRedone = isUndone && random.oneIn(3)
    if isRedone { try require(view.redo()?.isComplete == true, "the group does not return") }
    var edits = PlainLayer()
    if isUndone && !isRedone && random.oneIn(2) {
      // Nothing can be redone after an edit.
      let topic = Topic(id: random.key(of: .topics), weight: 9)
      view.upsert(topic)
      edits.upsert(.topics, topic.id, topic.row)
    }
    let code = try await saving.value
    hasFailed = code != nil
    try didSave(layer, .error, outcome, commit: nil, code)
    note("view undoes what is being saved: \(isUndone)", isUndone ? "undoneDuringSaves" : "saves")
    // The plain layers have no ordered links, and no links that go back to what they were.
    if before.readings != current.readings || !layer.links.isEmpty { return rollback() }
    if isRedone {
      pending = code == nil ? PlainLayer() : layer
      try screen.check(self)
      try require(view.undo()?.isComplete == true, "the redone group stays")
      pending = code == nil ? current.changes(to: before) : PlainLayer()
    } else if isUndone {
      pending = current.changes(to: before).joined(with: edits)
    } else if code == nil {
      pending = PlainLayer()
    }
    try screen.check(self)
  }

  /// Resolves a conflict of an edit.
  func resolve() async throws {
    try await finishSave()
    try await view.waitUntilMerged(newest)
    let conflicts = view.conflicts
    if conflicts.isEmpty { return }
    let (conflict, policy) = (random.pick(conflicts), random.pick(PlainPolicy.allCases))
    let stored = conflict.place.flatMap { current[$0, $1] }
    try require(
      conflict.storedRow == stored,
      "\(conflict) is with \(words(conflict.storedRow)), not \(words(stored))")
    note("view resolves \(conflict): \(policy)", "resolved")
    try pending.resolve(conflict, policy, in: view)
  }
}
