/// A unit of work: edits that nobody else sees until they are saved upward.
///
/// Not `Sendable`: the compiler confines it to whoever holds it, usually a worker actor. Editing is
/// synchronous and touches no store; fetching is asynchronous and sees the store as it was at the
/// first fetch, with the edits made here on top.
public final class ScratchContext {
  private enum Parent {
    case store
    case view(ViewContext, layers: LayerStack)
    case scratch(ScratchContext, layers: LayerStack)
  }

  let store: Store
  private var parent: Parent
  /// What the context reads; another one when it reads a newer state.
  private var state: ReadState {
    didSet {
      holdSnapshot()
      hasChildren = false
      followsRows = !edits.layer.isEmpty
      saving?.followsRows = true
    }
  }
  /// Whether children may read the same state.
  private var hasChildren = false
  /// Says who keeps the snapshot.
  private var hold: SnapshotHold?
  /// Whether the state that is read is newer than the edits: what those did not edit is newer, too.
  private var followsRows = false
  var edits: Edits
  private var ownSaves = OwnSaves()
  /// What the next save marks as imported.
  var freshened: Set<CacheIdentity> = []
  /// What a save of this context has under way: an actor that holds the context may edit it while
  /// its own save waits for the writer.
  private(set) var saving: (layer: Layer, followsRows: Bool)?
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
    state = ReadState()
    edits = Edits(store.model)
  }

  /// A child of the view context, as it is now.
  init(_ store: Store, of view: ViewContext, snapshot: Snapshot, layers: LayerStack) {
    self.store = store
    state = ReadState(snapshot)
    parent = .view(view, layers: layers)
    edits = Edits(store.model)
    holdSnapshot()
  }

  /// A child of another scratch context, as it is now.
  private init(of parent: ScratchContext) {
    store = parent.store
    state = parent.state
    self.parent = .scratch(parent, layers: parent.layers)
    edits = Edits(store.model)
    holdSnapshot()
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
    guard let (table, key) = edits.identify(entity) else { return entity }
    let row = row(of: entity, table, key)
    let shown = layers.state(of: key, in: table, over: row.stored)
    guard var draft = edits.draft(of: entity, table, key, shown, inHand: row.inHand) else {
      return entity
    }
    // The context is not being accessed meanwhile: the closure may read and edit it.
    try change(&draft.entity)
    defer { edits.undo.endEvent() }
    return edits.finish(
      draft, table, key, shown: layers.state(of: key, in: table, over: row.stored),
      replaced: row.isReplaced ? row.inHand : nil
    ).entity
  }

  /// Deletes an entity.
  public func delete<E: Entity>(_ entity: E) {
    checkUse()
    guard let (table, key) = edits.identify(entity) else { return }
    let row = row(of: entity, table, key)
    _ = edits.delete(entity, table, key, shown: layers.state(of: key, in: table, over: row.stored))
    edits.undo.endEvent()
  }

  /// What counts as the store's row under an edit of a value in hand: what an own save made of the
  /// row if that save replaced the value, else the value.
  ///
  /// A row that an own save deleted may be there again, so a value of it counts, too: the writer
  /// knows.
  ///
  /// - Returns: the row, the record of the value in hand, and whether the row is another one.
  private func row<E: Entity>(
    of entity: E, _ table: Table, _ key: RecordKey
  ) -> (stored: RecordState, inHand: Record?, isReplaced: Bool) {
    guard let inHand = edits.record(of: entity, table) else { return (.unknown, nil, false) }
    let written = ownSaves.state(of: key, in: table.id, replacing: inHand)
    if written.record == nil { return (.record(inHand), inHand, false) }
    return (written, inHand, true)
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
    hasChildren = true
    return ScratchContext(of: self)
  }

  /// Takes a child's edits on top of this context's, rebased onto what it shows now.
  private func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) throws(StoreError) -> [Edits.Absorbed] {
    checkUse()
    let layers = layers
    let absorbed = try edits.rebased(layer, by: policy) { table, key in
      layers.state(of: key, in: table, over: .unknown)
    }
    for change in absorbed { edits.absorb(change) }
    edits.undo.endEvent()
    return absorbed
  }

  /// This context's layers over those of its ancestors.
  var layers: LayerStack { lowerLayers.adding(edits.layer, followsRows: followsRows) }

  /// The layers under the edits.
  var lowerLayers: LayerStack {
    saving.map { ancestors.adding($0.layer, followsRows: $0.followsRows) } ?? ancestors
  }

  /// The layers of the context's ancestors, as they were when it was made or last refreshed.
  private var ancestors: LayerStack {
    switch parent {
    case .store: LayerStack()
    case .view(_, let layers), .scratch(_, let layers): layers
    }
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
          LayeredFetch(snapshot: snapshot, layers: layers, model: store.model))
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
      if context.state === state { try await context.replaceSnapshot() }
    }
    await refresh()
  }

  /// The state that this context reads: pinned at the first read.
  nonisolated(nonsending) func pinned() async throws(StoreError) -> Snapshot {
    while true {
      let state = state
      if let snapshot = state.snapshot {
        if hold?.snapshot !== snapshot { holdSnapshot() }
        ownSaves.willRead(snapshot.commit)
        return snapshot
      }
      let snapshot = try await store.snapshot()
      // Another task of the actor may have read meanwhile, or saved what this snapshot lacks.
      if state === self.state { state.pin(snapshot) }
    }
  }

  private func holdSnapshot() {
    hold = state.snapshot.map { SnapshotHold($0, .scratchContext, name: name) }
  }

  /// The commit that this context reads, once it has read anything.
  var snapshot: Snapshot? { state.snapshot }

  func letGoOfSnapshot() { if isChildOfStore { state = ReadState() } }

  /// Lets the next fetch see the newest commit.
  ///
  /// Children that have read nothing yet go on with a state of now: what this context does from here
  /// on they do not see.
  private nonisolated(nonsending) func readNewest() async {
    await pinForChildren()
    state = ReadState()
  }

  /// Pins what children share with this context and have not read yet. A stack that is closed has
  /// nothing to pin; reading says so.
  private nonisolated(nonsending) func pinForChildren() async {
    let shared = state
    if shared.snapshot != nil || !hasChildren { return }
    if let snapshot = try? await store.snapshot() { shared.pinForChildren(snapshot) }
  }

  var isChildOfStore: Bool { if case .store = parent { true } else { false } }

  /// Adds what was imported to the edits; a row that was edited is not deleted.
  func compose(_ layer: Layer) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        if case .blind(.set(nil)) = change, layers.edits(key, in: table) { continue }
        edits.layer.compose(change, table, key)
      }
    }
  }

  /// Lets go of what was read: the next fetch sees the newest state, for a child the parent's, with
  /// the edits on top.
  public nonisolated(nonsending) func refresh() async {
    await readNewest()
    switch parent {
    case .store: break
    case .view(let view, _):
      while true {
        let state = state
        let (snapshot, layers) = await view.base
        // Another task of the actor may have saved meanwhile, or refreshed.
        guard state === self.state else { continue }
        self.state = ReadState(snapshot)
        parent = .view(view, layers: layers)
        return
      }
    case .scratch(let context, _):
      state = context.state
      context.hasChildren = true
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
    let firstPart = edits.undo.beginSave()
    saving = (layer, followsRows)
    followsRows = false
    edits.layer = Layer()
    let marks = freshened
    freshened = []
    defer { saving = nil }
    do throws(StoreError) {
      return try await saveUpward(layer, policy, marks, firstPart)
    } catch {
      edits.undo.saveFailed(layer, from: firstPart)
      if saving?.followsRows == true { followsRows = true }
      let later = edits.layer
      edits.layer = layer
      edits.layer.compose(later)
      freshened.formUnion(marks)
      throw error
    }
  }

  private nonisolated(nonsending) func saveUpward(
    _ layer: Layer, _ policy: SavePolicy, _ marks: Set<CacheIdentity>, _ firstPart: Int
  ) async throws(StoreError) -> Int64 {
    switch parent {
    case .store:
      store.activity.begin(.saving)
      defer { store.activity.end(.saving) }
      // What nobody has read yet is the children's from now on, also if the save fails.
      if state.snapshot == nil && hasChildren { await readNewest() }
      let report = try await store.writer.submit(
        .normal, context: id, isShort: layer.isShort(store.model)
      ) { [author] writer throws(StoreError) in
        try writer.saveReporting(layer, policy: policy, author: author, marking: marks)
      }
      state = ReadState()
      ownSaves.remember(layer, as: report.changes, report.commit)
      for (table, key, change) in edits.undo.didSave(layer, as: report, from: firstPart) {
        edits.layer.compose(.known(change), table, key)
      }
      return report.commit
    case .view(let view, _):
      let (commit, absorbed) = try await view.absorb(layer, policy)
      edits.undo.didSave(layer, into: absorbed, from: firstPart)
      await refresh()
      return commit
    case .scratch(let context, _):
      let absorbed = try context.absorb(layer, policy)
      edits.undo.didSave(layer, into: absorbed, from: firstPart)
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
