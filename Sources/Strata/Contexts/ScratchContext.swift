/// A unit of work, whose edits are private until they are saved.
///
/// Not `Sendable`: the compiler confines it to its owner, usually a worker actor. Editing is
/// synchronous and does not touch the store. Fetching is asynchronous. It reads the store as of the
/// first fetch, with this context's edits on top. If the disk fails a fetch, that state is lost: the
/// fetch throws, and the next fetch reads the newest state, as after ``refresh()``.
public final class ScratchContext {
  let store: Store
  private var parent: ScratchParent
  var below: ScratchReading
  var edits: Edits
  /// The entries that the next save marks as imported.
  var freshened: Set<CacheIdentity> = []
  private let saves = Turnstile()
  let id = ContextID()
  private var isEnded = false
  /// The author of this context's commits in the history; nil for ``StackOptions/author``.
  ///
  /// A save takes the author at its start. The view context commits the edits that its children
  /// save, as its own author.
  public var author: String?
  /// The name of this context in ``Stack/diagnostics(statements:)`` while it holds a snapshot.
  public var name: String? {
    get { below.name }
    set { below.name = newValue }
  }

  init(_ store: Store, _ parent: ScratchParent = .store, _ state: ReadState = ReadState()) {
    self.store = store
    self.parent = parent
    below = ScratchReading(state)
    edits = Edits(store.model)
  }

  /// Marks the context as used up: using it again is a programming error.
  func end() { isEnded = true }

  func checkUse() {
    if isEnded { fatalError("this scratch context has ended: it was lent by withScratch only") }
  }

  // MARK: - Editing

  /// Whether there is anything to save or roll back.
  public var hasChanges: Bool { !edits.isEmpty || !freshened.isEmpty }

  /// Adds a new entity.
  ///
  /// If the store already has a row with the key, saving fails with a conflict; `upsert` avoids it.
  public func insert<E: Entity>(_ entity: E) {
    edit { $0.insert(entity) }
  }

  /// Adds an entity, or replaces the entity with its key without reading it first.
  ///
  /// The save never conflicts: it replaces whatever the store has. A row that already has the same
  /// values is neither written nor reported.
  ///
  /// An upsert of an entity with unsaved edits continues these edits, and may conflict as they may.
  /// It edits the attributes whose values differ from those before the first edit. An attribute that has
  /// the value before the first edit counts as not edited, so a value that others have committed since
  /// stays. To set it back, update the entity that the context shows.
  public func upsert<E: Entity>(_ entity: E) {
    edit { $0.upsert(entity) }
  }

  /// Changes an entity; only the attributes that `change` changes are edited.
  ///
  /// `change` runs on `entity` with this context's own edits and saves over it. A value that another
  /// context has changed since `entity` was read conflicts with the edit of the same attribute. An
  /// entity that was deleted in this context stays deleted.
  ///
  /// - Returns: the entity after the change.
  /// - Precondition: `change` does not change the key.
  @discardableResult
  public func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E {
    checkUse()
    guard let (table, key) = edits.identify(entity) else { return entity }
    let row = row(of: entity, table, key)
    let shown = layers.state(of: key, in: table, over: row.stored)
    guard var draft = edits.draft(of: entity, table, key, shown, inHand: row.inHand) else {
      return entity
    }
    // The closure may read and edit the context: no access to the context is open here.
    try change(&draft.entity)
    defer { edits.undo.endEvent() }
    let now = layers.state(of: key, in: table, over: row.stored)
    return edits.finish(draft, table, key, shown: now, replaced: row.replaced).entity
  }

  /// Deletes an entity.
  public func delete<E: Entity>(_ entity: E) {
    checkUse()
    guard let (table, key) = edits.identify(entity) else { return }
    let row = row(of: entity, table, key).stored
    let shown = layers.state(of: key, in: table, over: row)
    edit { $0.delete(entity, table, key, shown: shown) }
  }

  /// Deletes the entity with a key without reading it first; nothing happens if there is none.
  ///
  /// The deletion never conflicts: it deletes whatever the store has when it is saved. If the entity has no
  /// unsaved edits, an insertion after the deletion replaces the row in the same way, and overwrites what
  /// others have committed. To keep the changes of others, delete the entity that you have read.
  public func delete<E: Entity>(_ type: E.Type, _ id: E.ID) {
    edit { $0.delete(type, id) }
  }

  /// Makes one edit, which is an undo group of its own unless a group is open.
  func edit(_ body: (inout Edits) -> (Table, RecordKey)?) {
    checkUse()
    _ = body(&edits)
    edits.undo.endEvent()
  }

  /// Returns the row to assume in the store under an edit of a value in hand.
  ///
  /// If a save of this context replaced the value, the row is the one that the save wrote.
  /// Otherwise the row is the value itself. The value also counts if the save deleted the row: the
  /// row may exist again, and only the writer knows.
  ///
  /// - Returns: the row, the record of the value in hand, and the same record if a save replaced it.
  private func row<E: Entity>(
    of entity: E, _ table: Table, _ key: RecordKey
  ) -> (stored: RecordState, inHand: Record?, replaced: Record?) {
    guard let inHand = edits.record(of: entity, table) else { return (.unknown, nil, nil) }
    let written = below.ownSaves.state(of: key, in: table, replacing: inHand)
    guard let row = written.record else { return (.record(inHand), inHand, nil) }
    return (written, inHand, table.respelled(inHand, like: row, seesDefaults: true))
  }

  /// Discards every edit that no save has begun to write.
  public func rollback() {
    edits.removeAll()
    freshened = []
  }

  // MARK: - Child contexts

  /// Creates a scratch context over the state that this context shows; its saves become edits of
  /// this context.
  ///
  /// The child reads the same snapshot as this context. It sees later edits of this context after a
  /// ``refresh()`` or a save of its own. This context, and children created later, see the child's
  /// edits once the child saves. Releasing the child discards its edits.
  ///
  /// - Complexity: O(1); nothing is copied or read.
  public func makeScratch() -> ScratchContext {
    checkUse()
    return ScratchContext(store, .scratch(self, layers: layers), below.share())
  }

  /// This context's layers over the layers of its ancestors.
  var layers: LayerStack { lowerLayers.adding(edits.layer, followsRows: edits.followsRows) }

  /// The layers below the edits.
  var lowerLayers: LayerStack { edits.savingLayer(over: parent.layers) }

  // MARK: - Fetching

  /// Reads through the layers; if a suspension takes the snapshot, reads again from the newest
  /// state.
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

  nonisolated(nonsending) func replaceSnapshot() async throws(StoreError) {
    try await parent.replaceSnapshot(of: below.state)
    await refresh()
  }

  /// Returns the snapshot that this context reads; the first read pins it.
  nonisolated(nonsending) func pinned() async throws(StoreError) -> Snapshot {
    while true {
      let state = below.state
      if let snapshot = state.snapshot {
        below.willRead(snapshot)
        return snapshot
      }
      let snapshot = try await store.snapshot()
      // The actor may have read in another task meanwhile, or made a save that this snapshot lacks.
      if state === below.state { state.pin(snapshot) }
    }
  }

  /// Reads another state from now on, which may have newer rows.
  private func read(_ state: ReadState) {
    below.move(to: state)
    edits.followRows()
  }

  /// The snapshot that this context reads; nil before the first read.
  var snapshot: Snapshot? { below.state.snapshot }

  func letGoOfSnapshot() { if isChildOfStore { read(ReadState()) } }

  /// Lets the next fetch see the newest commit.
  ///
  /// If children have not read anything yet, this pins their state first, so that they do not see
  /// later saves of this context. A closed stack has nothing to pin; the children's reads throw that error.
  private nonisolated(nonsending) func readNewest() async {
    let shared = below.state
    if below.isPromised, let snapshot = try? await store.snapshot() {
      shared.pinForChildren(snapshot)
    }
    read(ReadState())
  }

  var isChildOfStore: Bool { if case .store = parent { true } else { false } }

  /// Adds imported changes to the edits; an edited row is not deleted.
  func compose(_ layer: Layer) {
    for (table, changes) in layer.tables {
      for (key, change) in changes {
        if case .blind(.set(nil)) = change, layers.edits(key, in: table) { continue }
        edits.layer.compose(change, table, key)
      }
    }
  }

  /// Lets the next fetch see the newest state, with the edits on top; for a child, the parent's
  /// state.
  public nonisolated(nonsending) func refresh() async {
    await readNewest()
    while true {
      let state = below.state
      guard let newest = await parent.newest() else { return }
      // The actor may have saved or refreshed in another task meanwhile.
      guard state === below.state else { continue }
      parent = newest.parent
      return read(newest.state)
    }
  }

  // MARK: - Saving

  /// Saves the edits one layer down: to the store as one commit, or into the parent's unsaved
  /// edits.
  ///
  /// If the save fails, the context keeps every edit. Cancelling the task withdraws a save that has
  /// not started; a started save is finished.
  ///
  /// - Returns: the number of the commit that has the edits, or of the newest commit if no row
  ///   differs from it; for a child, the number of the commit that its parent reads.
  /// - Throws: ``StoreError`` with code `conflict`, `uniquenessViolated`, `missingReference`,
  ///   `deleteDenied`, `validationFailed`, `invalidValue`, `cancelled`, `closed`, `busy`,
  ///   `diskFull` or one of SQLite's.
  @discardableResult
  public nonisolated(nonsending) func save(
    _ policy: SavePolicy = .error
  ) async throws -> Int64 {
    checkUse()
    // Saves run one after the other: a failed save must not put its edits on top of later ones.
    try await saves.enter()
    defer { saves.leave() }
    try edits.checkRejected()
    if edits.layer.isEmpty && freshened.isEmpty && isChildOfStore { return store.newestCommit }
    let save = edits.beginSave()
    let marks = freshened
    freshened = []
    do throws(StoreError) {
      let commit = try await saveUpward(save, policy, marks)
      edits.endSave(save.id)
      return commit
    } catch {
      _ = edits.saveFailed()
      freshened.formUnion(marks)
      throw error
    }
  }

  private nonisolated(nonsending) func saveUpward(
    _ save: ContextSave.Cargo, _ policy: SavePolicy, _ marks: Set<CacheIdentity>
  ) async throws(StoreError) -> Int64 {
    let layer = save.layer
    if let absorbed = try await parent.absorb(layer, over: below.state, policy) {
      edits.undo.didSave(save, into: absorbed)
      await refresh()
      return snapshot?.commit ?? store.newestCommit
    }
    store.activity.begin(.saving)
    defer { store.activity.end(.saving) }
    // An unread state belongs to the children from here on, even if the save fails.
    if below.isPromised { await readNewest() }
    let report = try await store.writer.submit(
      .normal, context: id, isShort: layer.isShort(store.model)
    ) { [author] writer throws(StoreError) in
      try writer.saveReporting(layer, policy: policy, author: author, marking: marks)
    }
    read(ReadState())
    below.ownSaves.remember(layer, as: report.changes, report.commit)
    for (table, key, change) in edits.undo.didSave(save, as: report) {
      edits.layer.composeBelow(.known(change), table, key)
    }
    return report.commit
  }
}

@available(
  *, unavailable,
  message: "a scratch context belongs to one actor; create one per actor with stack.makeScratch()"
)
extension ScratchContext: Sendable {}
