import Strata

/// The snapshot that a scratch context and its relatives read.
///
/// `rows` is nil until one of these contexts reads.
@MainActor
final class ReadRows {
  var rows: PlainRows?
  /// Whether a suspension has released the snapshot.
  var isLost = false
  init(_ rows: PlainRows?) { self.rows = rows }
}

/// A scratch context of a random history, and its model.
@MainActor
final class ContextWorker {
  enum Parent: Equatable {
    case store, view
    case worker(ContextWorker)

    static func == (left: Parent, right: Parent) -> Bool {
      switch (left, right) {
      case (.store, .store), (.view, .view): true
      case (.worker(let left), .worker(let right)): left === right
      case (.store, _), (.view, _), (.worker, _): false
      }
    }
  }

  private let context: ScratchContext
  let parent: Parent
  let name: String
  private var read: ReadRows {
    didSet { followsRows = !layer.isEmpty }
  }
  private var hasChildren = false
  /// Whether the rows of the state may be newer than some of the edits.
  private var followsRows = false
  /// The layers of the ancestors, as of the creation or the last refresh of the context.
  private var frozen: [PlainLevel]
  private var layer = PlainLayer()
  /// A book that was read before a save of this context.
  private var stale: Book?

  init(
    _ context: ScratchContext, _ parent: Parent, _ read: ReadRows, _ frozen: [PlainLevel],
    name: String
  ) {
    self.context = context
    self.parent = parent
    self.read = read
    self.frozen = frozen
    self.name = name
  }

  func child(_ number: Int) -> ContextWorker {
    hasChildren = true
    return ContextWorker(
      context.makeScratch(), .worker(self), read, levels,
      name: "\(number), child of \(name)")
  }

  /// The layers that a child of the context has below its edits.
  private var levels: [PlainLevel] {
    frozen + [PlainLevel(layer: layer, followsRows: followsRows)]
  }

  /// The number of scratch contexts down to the store or the view context, this one included.
  var depth: Int {
    if case .worker(let parent) = parent { parent.depth + 1 } else { 1 }
  }

  /// Takes a random step.
  ///
  /// - Returns: whether the history releases the context.
  func step(_ history: ContextHistory) async throws -> Bool {
    switch history.random.below(14) {
    case 0..<6: try await edit(history)
    case 6: try await editShelf(history)
    case 7:
      let link = history.random.link()
      let isThere = history.random.oneIn(2)
      link.set(isThere, in: context, fromBook: history.random.oneIn(2))
      layer.links[link] = isThere
      history.note("\(name) links \(link): \(isThere)", "edits")
    case 8..<11: try await save(history)
    case 11:
      context.rollback()
      layer = PlainLayer()
      history.note("\(name) rolls back", "rollbacks")
    case 12: try await refresh(history)
    default:
      if parent == .store && layer.isEmpty {
        try await editStale(history)
      } else {
        return history.random.oneIn(2)
      }
    }
    return false
  }

  // MARK: Reading

  private func base(_ history: ContextHistory) async throws -> PlainRows {
    if read.isLost {
      // A child of the view context moves to the commit that the view context shows when it reads.
      try await history.view.waitUntilMerged(history.newest)
      while read.isLost { readNewest(history, afterSuspension: true) }
    }
    if read.rows == nil {
      try await history.finishSave()
      read.rows = history.current
    }
    return read.rows ?? PlainRows()
  }

  /// Compares a row with the row that the layers lead to.
  private func check<E: PlainEntity>(
    _ found: E?, _ key: Int, _ base: PlainRows, _ history: ContextHistory
  ) throws {
    let stored = base[E.table, key]
    let expected = levels.shown(E.table, key, over: stored) ?? stored
    try history.require(
      found?.row == expected,
      "\(name) finds \(E.table) \(key) \(history.words(found?.row)), not \(history.words(expected))"
    )
  }

  func check(_ history: ContextHistory) async throws {
    let base = try await base(history)
    for key in 0..<5 { try check(try await context.find(Book.self, key), key, base, history) }
    for key in 0..<3 { try check(try await context.find(Shelf.self, key), key, base, history) }
    history.note("\(name) is read", "reads")
  }

  // MARK: Editing

  private func edit(_ history: ContextHistory) async throws {
    try await edit(Book.self, history)
  }

  private func editShelf(_ history: ContextHistory) async throws {
    try await history.random.oneIn(2) ? edit(Shelf.self, history) : edit(Page.self, history)
  }

  private func edit<E: PlainEntity>(_: E.Type, _ history: ContextHistory) async throws {
    let base = try await base(history)
    let key = history.random.key(of: E.table)
    let found = try await context.find(E.self, key)
    try check(found, key, base, history)
    history.note("\(name) edits \(E.table) \(key) \(history.words(found?.row))", "edits")
    guard let found else {
      let row = history.random.row(of: E.table)
      if history.random.oneIn(2) {
        context.insert(E(key: key, row))
        layer.edit(E.table, key, from: nil, to: row)
      } else {
        context.upsert(E(key: key, row))
        layer.upsert(E.table, key, row)
      }
      return
    }
    if stale == nil { stale = found as? Book }
    switch history.random.below(6) {
    case 0:
      context.delete(found)
      layer.edit(E.table, key, from: found.row, to: nil)
    case 1:
      let row = history.random.row(of: E.table)
      context.upsert(E(key: key, row))
      layer.upsert(E.table, key, row)
    default:
      let row = history.random.changed(found.row, of: E.table)
      let result = context.update(found) { $0 = E(key: key, row) }
      try history.require(result.row == row, "the update returned \(history.words(result.row))")
      if row != found.row { layer.edit(E.table, key, from: found.row, to: row) }
    }
    history.note("\(name) made \(layer.edits[E.table]?[key].map { "\($0)" } ?? "nothing")", "edits")
  }

  /// Edits a value that is older than other saves. The save must refuse the edit or write it.
  private func editStale(_ history: ContextHistory) async throws {
    guard let stale else { return }
    try await history.finishSave()
    self.stale = nil
    let value = history.random.below(3)
    if value == stale.first { return }
    history.note("\(name) edits the old value \(history.words(stale.row)) of \(stale.id)", "stale")
    let deletes = history.random.oneIn(3)
    if deletes { context.delete(stale) } else { context.update(stale) { $0.first = value } }
    let old = history.current
    let isLeft = leaveToChildren(history)
    let code = try await history.code { try await self.context.save() }
    if let code {
      try history.require(
        [.conflict, .deleteDenied].contains(code), "an old value failed with \(code)")
      followsRows = followsRows || isLeft
      return context.rollback()
    }
    var layer = PlainLayer()
    let row = old[.books, stale.id]
    if deletes {
      if row != nil { layer.upsert(.books, stale.id, nil) }
    } else {
      guard var row else { return try history.require(false, "an old value of no row was saved") }
      row[0] = value
      layer.upsert(.books, stale.id, row)
    }
    try history.didSave(
      layer, .error, old.saving(layer, .error), commit: nil, code)
    let stored = try await history.stack.find(Book.self, stale.id)
    try history.require(
      deletes ? stored == nil : stored?.first == value,
      "an edit of an old value was lost: \(history.words(stored?.row))")
    leaveState(history, old)
  }

  // MARK: Saving

  func save(_ history: ContextHistory) async throws {
    try await history.finishSave()
    if layer.isEmpty { return }
    let policy = history.random.pick(PlainPolicy.allCases)
    history.note("\(name) saves: \(policy)", "workerSaves")
    switch parent {
    case .store:
      let (old, outcome) = (history.current, history.current.saving(layer, policy))
      leaveToChildren(history)
      var commit: Int64?
      let code = try await history.code { commit = try await self.context.save(policy.strata) }
      try history.didSave(layer, policy, outcome, commit: commit, code)
      if code != nil { return }
      layer = PlainLayer()
      leaveState(history, old)
    case .view:
      try await history.view.waitUntilMerged(history.newest)
      let shown = try history.shown()
      try await absorb(into: history.pending, policy, history) { table, key, _ in
        shown[table, key]
      } linked: {
        shown.links.contains($0)
      } then: {
        history.pending = $0
        self.readNewest(history)
      }
    case .worker(let parent):
      let levels = parent.levels
      try await absorb(into: parent.layer, policy, history) {
        levels.shown($0, $1, over: $2)
      } linked: { link in
        levels.reduce(nil) { $1.layer.links[link] ?? $0 }
      } then: {
        parent.layer = $0
        if parent.read !== self.read { parent.followsRows = true }
        self.readNewest(history)
      }
    }
  }

  /// Leaves an unread state to the children. This comes before a save to the store, so it also
  /// happens if the save fails.
  ///
  /// - Returns: whether the children got an unread state.
  @discardableResult
  private func leaveToChildren(_ history: ContextHistory) -> Bool {
    let isLeft = hasChildren && read.rows == nil
    if isLeft { leaveState(history, history.current) }
    return isLeft
  }

  /// Moves the context to the newest state. Its children keep their older state.
  private func leaveState(_ history: ContextHistory, _ old: PlainRows) {
    if hasChildren && read.rows == nil { read.rows = old }
    read = ReadRows(nil)
    hasChildren = false
    frozen = []
  }

  /// Saves into the layer of the parent.
  ///
  /// - Parameter shown: the row that the parent shows for a key over the row that this context has
  ///   read; nil if the parent does not know it.
  private func absorb(
    into target: PlainLayer, _ policy: PlainPolicy, _ history: ContextHistory,
    shown: (PlainTable, Int, PlainRow?) -> PlainRow??, linked: (PlainLink) -> Bool?,
    then take: (PlainLayer) -> Void
  ) async throws {
    let (result, conflicts) = target.absorbing(layer, policy, shown: shown, linked: linked)
    let code = try await history.code { try await self.context.save(policy.strata) }
    try history.require(
      code == (conflicts ? .conflict : nil),
      "\(name): \(code.map { "\($0)" } ?? "saved"), a conflict was expected: \(conflicts)")
    if code != nil { return }
    history.note("\(name) was absorbed", "absorbed")
    layer = PlainLayer()
    take(result)
  }

  private func refresh(_ history: ContextHistory) async throws {
    try await history.finishSave()
    history.note("\(name) refreshes", "refreshes")
    // A merge turn after the refresh would show the model a later commit than the context reads.
    try await history.view.waitUntilMerged(history.newest)
    await context.refresh()
    readNewest(history)
  }

  /// Moves the context to the newest state.
  ///
  /// Children that have read nothing yet keep the current state.
  private func readNewest(_ history: ContextHistory, afterSuspension: Bool = false) {
    if hasChildren && read.rows == nil { read.rows = history.current }
    switch parent {
    case .store: read = ReadRows(nil)
    case .view:
      read = ReadRows(history.states[history.view.commit])
      frozen = history.viewLayers.map { PlainLevel(layer: $0) }
    case .worker(let parent):
      if afterSuspension && parent.read === read {
        parent.readNewest(history, afterSuspension: true)
      }
      parent.hasChildren = true
      read = parent.read
      frozen = parent.levels
    }
    hasChildren = false
  }

  /// Marks the snapshot as released by a suspension. The next read is a read of the newest state.
  func didSuspend() {
    if read.rows != nil { read.isLost = true }
    if case .worker(let parent) = parent { parent.didSuspend() }
  }
}
