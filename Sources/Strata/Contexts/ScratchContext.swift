/// A unit of work: edits that nobody else sees until they are saved upward.
///
/// Not `Sendable`: the compiler confines it to whoever holds it, usually a worker actor. Editing is
/// synchronous and touches no store; fetching is asynchronous and sees the store as it was at the
/// first fetch, with the edits made here on top.
public final class ScratchContext {
  private enum Parent {
    case store
    case view(ViewContext, layers: [Layer])
    case scratch(ScratchContext, layers: [Layer])
  }

  let store: Store
  private var parent: Parent
  private var hold: SnapshotHold?
  private(set) var snapshot: Snapshot? {
    get { hold?.snapshot }
    set { hold = newValue.map { SnapshotHold($0, .scratchContext, name: name) } }
  }
  /// Changes when what is read becomes another: what was asked for before is old then.
  private var readVersion = 0
  var edits: Edits
  /// What the next save marks as imported.
  var freshened: Set<CacheIdentity> = []
  /// What a save of this context has under way: an actor that holds the context may edit it while
  /// its own save waits for the writer.
  private(set) var saving: Layer?
  private let saves = Turnstile()
  let id = ContextID()
  private var isEnded = false
  /// Who makes this context's commits, as the history says it; nil for ``Stack/Options/author``.
  ///
  /// A save takes what it is when it begins. Edits that a child of the view context saves are
  /// committed by the view context, as its author.
  public var author: String?
  /// What ``Stack/diagnostics(statements:)`` calls this context if it keeps an old state of the
  /// store.
  public var name: String? { didSet { hold?.rename(name) } }

  init(_ store: Store) {
    self.store = store
    parent = .store
    edits = Edits(store.model)
  }

  /// A child of the view context, as it is now.
  init(_ store: Store, of view: ViewContext, snapshot: Snapshot, layers: [Layer]) {
    self.store = store
    hold = SnapshotHold(snapshot, .scratchContext)
    parent = .view(view, layers: layers)
    edits = Edits(store.model)
  }

  /// A child of another scratch context, as it is now.
  private init(of parent: ScratchContext) {
    store = parent.store
    hold = parent.snapshot.map { SnapshotHold($0, .scratchContext) }
    self.parent = .scratch(parent, layers: parent.layers)
    edits = Edits(store.model)
  }

  /// Marks the context as used up: using it again is a mistake of the program.
  func end() { isEnded = true }

  func checkUse() {
    if isEnded { fatalError("this scratch context has ended: it was lent by withScratch only") }
  }

  // MARK: - Editing

  /// Whether there is anything to save or roll back.
  public var hasChanges: Bool { !edits.isEmpty || !freshened.isEmpty }

  /// Adds a new entity.
  ///
  /// If the store has its key already, saving fails with a conflict; `upsert` is for that.
  public func insert<E: Entity>(_ entity: E) {
    checkUse()
    _ = edits.insert(entity)
    edits.undo.endEvent()
  }

  /// Adds an entity or replaces the one with its key, without reading it first.
  ///
  /// A row that has the same values already is neither written nor announced.
  public func upsert<E: Entity>(_ entity: E) {
    checkUse()
    _ = edits.upsert(entity)
    edits.undo.endEvent()
  }

  /// Changes an entity; only attributes that `change` changes are edited.
  ///
  /// `change` runs on this context's current value of the entity, or on `entity` if the context
  /// has none. An entity that was deleted here stays deleted.
  ///
  /// - Returns: the entity after the change.
  /// - Precondition: `change` leaves the key alone.
  @discardableResult
  public func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E {
    checkUse()
    guard let (table, key) = edits.identify(entity),
      var draft = edits.draft(of: entity, table, key, shown(entity, table, key))
    else { return entity }
    // The context is not being accessed meanwhile: the closure may read and edit it.
    try change(&draft.entity)
    defer { edits.undo.endEvent() }
    return edits.finish(draft, table, key, shown: shown(entity, table, key)).0
  }

  /// Deletes an entity.
  public func delete<E: Entity>(_ entity: E) {
    checkUse()
    guard let (table, key) = edits.identify(entity) else { return }
    _ = edits.delete(entity, table, key, shown: shown(entity, table, key))
    edits.undo.endEvent()
  }

  /// Discards every edit that no save has begun to write.
  public func rollback() {
    edits.removeAll()
    freshened = []
  }

  // MARK: - Child contexts

  /// A scratch context over what this one shows now; its saves land in this one's edits.
  ///
  /// It reads what this context reads. What is edited here afterwards it sees after a
  /// ``refresh()`` or a save of its own; its own edits are seen here, and by children created
  /// later, once it saves. Letting go of it discards its edits.
  ///
  /// - Complexity: O(1); nothing is copied or read.
  public func scratch() -> ScratchContext {
    checkUse()
    return ScratchContext(of: self)
  }

  /// Takes a child's edits on top of this context's, rebased onto what it shows now.
  private func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) throws(StoreError) -> [Edits.Absorbed] {
    checkUse()
    let below = Array(layers.reversed())
    let absorbed = try edits.rebased(layer, by: policy) { table, key in
      Edits.Shown.unknown.under(below.map { $0[table, key] })
    }
    for change in absorbed { edits.absorb(change) }
    edits.undo.endEvent()
    return absorbed
  }

  /// This context's layer and those of its ancestors, the uppermost first.
  var layers: [Layer] {
    let own = [edits.layer] + [saving].compactMap { $0 }
    return switch parent {
    case .store: own
    case .view(_, let layers), .scratch(_, let layers): own + layers
    }
  }

  /// What the context shows for a key right now.
  private func shown<E: Entity>(
    _ entity: E, _ table: Table, _ key: RecordKey
  ) -> Edits.Shown {
    edits.shownBySaves(entity, table, key).under(layers.reversed().map { $0[table.id, key] })
  }

  // MARK: - Fetching

  /// Reads through the layers; after a suspension, which took the snapshot, the newest state.
  nonisolated(nonsending) func reading<R>(
    _ body: nonisolated(nonsending) (LayeredFetch) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    checkUse()
    while true {
      let snapshot = try await pinned()
      do throws(StoreError) {
        return try await body(
          LayeredFetch(
            snapshot: snapshot, layers: layers.filter { !$0.isEmpty }, model: store.model))
      } catch {
        guard error.code == .suspended else { throw error }
        try await replaceSnapshot()
      }
    }
  }

  private nonisolated(nonsending) func replaceSnapshot() async throws(StoreError) {
    switch parent {
    case .store: break
    case .view(let view, _): try await view.pinned()
    case .scratch(let context, _):
      if context.snapshot === snapshot { try await context.replaceSnapshot() }
    }
    await refresh()
  }

  /// The state that this context reads: pinned at the first read.
  nonisolated(nonsending) func pinned() async throws(StoreError) -> Snapshot {
    while true {
      if let snapshot { return snapshot }
      let version = readVersion
      let pinned =
        if case .scratch(let parent, _) = parent {
          try await parent.pinned()
        } else {
          try await store.snapshot()
        }
      // Another task of the actor may have read meanwhile, or saved what this snapshot lacks.
      if snapshot == nil && version == readVersion {
        snapshot = pinned
        edits.willRead(pinned.commit)
      }
    }
  }

  func letGoOfSnapshot() { if isChildOfStore { readNewest() } }

  /// Lets the next fetch see the newest commit.
  private func readNewest() {
    snapshot = nil
    readVersion += 1
  }

  var isChildOfStore: Bool { if case .store = parent { true } else { false } }

  /// Adds what was imported to the edits; a row that was edited is not deleted.
  func compose(_ layer: Layer) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        if case .blind(.set(nil)) = change, layers.contains(where: { $0[table, key] != nil }) {
          continue
        }
        edits.layer.compose(change, table, key)
      }
    }
  }

  /// Lets go of what was read: the next fetch sees the newest state, for a child the parent's, with
  /// the edits on top.
  public nonisolated(nonsending) func refresh() async {
    readVersion += 1
    switch parent {
    case .store: snapshot = nil
    case .view(let view, _):
      while true {
        let version = readVersion
        let (snapshot, layers) = await view.base
        // Another task of the actor may have saved meanwhile, or refreshed.
        guard version == readVersion else { continue }
        self.snapshot = snapshot
        parent = .view(view, layers: layers)
        return
      }
    case .scratch(let context, _):
      snapshot = context.snapshot
      parent = .scratch(context, layers: context.layers)
    }
  }

  // MARK: - Saving

  /// Saves the edits one layer down: to the store as one commit, or into the parent's unsaved
  /// edits.
  ///
  /// On failure every edit is still here. Cancelling the task withdraws a save that has not
  /// started; one that has is finished.
  ///
  /// - Returns: the number of the commit that has the edits, the newest one if nothing differs from
  ///   it; for a child, the number of the commit that its parent reads.
  /// - Throws: ``StoreError`` with code `conflict`, `uniquenessViolated`, `missingReference`,
  ///   `deleteDenied`, `validationFailed`, `invalidValue`, `cancelled`, `closed`, `busy`,
  ///   `diskFull` or one of SQLite's.
  @discardableResult
  public nonisolated(nonsending) func save(
    _ policy: SavePolicy = .error
  ) async throws(StoreError) -> Int64 {
    checkUse()
    // One after the other: a save that fails must not put its edits on top of later ones.
    try await saves.enter()
    defer { saves.leave() }
    try edits.checkRejected()
    if edits.layer.isEmpty && freshened.isEmpty && isChildOfStore { return store.newestCommit }
    let layer = edits.layer
    let firstGroup = edits.undo.beginSave()
    saving = layer
    edits.layer = Layer()
    let marks = freshened
    freshened = []
    defer { saving = nil }
    do throws(StoreError) {
      return try await saveUpward(layer, policy, marks, firstGroup)
    } catch {
      edits.undo.saveFailed(layer, from: firstGroup)
      edits.layer = layer.joined(with: edits.layer)
      freshened.formUnion(marks)
      throw error
    }
  }

  private nonisolated(nonsending) func saveUpward(
    _ layer: Layer, _ policy: SavePolicy, _ marks: Set<CacheIdentity>, _ firstGroup: Int
  ) async throws(StoreError) -> Int64 {
    switch parent {
    case .store:
      store.activity.begin(.saving)
      defer { store.activity.end(.saving) }
      let (commit, changes) = try await store.writer.submit(
        .normal, context: id, isShort: layer.isShort(store.model)
      ) { [author] writer throws(StoreError) in
        try writer.saveReporting(layer, policy: policy, author: author, marking: marks)
      }
      readNewest()
      edits.remember(layer, as: changes)
      edits.savedThrough = commit
      for (table, key, change) in edits.undo.didSave(
        layer, as: changes, store.model, from: firstGroup)
      {
        edits.layer.replace(table, key) { $0.onTop(change) }
      }
      // What the layer did not edit may be other than this context believed.
      for (table, changes) in changes { edits.follow(changes, table) }
      return commit
    case .view(let view, _):
      let (commit, absorbed) = try await view.absorb(layer, policy)
      edits.undo.didSave(layer, into: absorbed, from: firstGroup)
      await refresh()
      return commit
    case .scratch(let context, _):
      let absorbed = try context.absorb(layer, policy)
      edits.undo.didSave(layer, into: absorbed, from: firstGroup)
      await refresh()
      return context.snapshot?.commit ?? store.newestCommit
    }
  }
}

@available(
  *, unavailable,
  message: "a scratch context belongs to one actor; create one per actor with stack.scratch()"
)
extension ScratchContext: Sendable {}
