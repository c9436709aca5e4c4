public import Observation

/// The main actor's window onto the store: a consistent state, unsaved edits on top, live queries.
///
/// Everything it has in memory is synchronous, everything that needs the store is `async` and runs
/// elsewhere: no call of this type can block the main thread on the store. Others' commits come in
/// between your own turns, never in the middle of one.
///
/// `Observable`: reading ``hasChanges``, ``isSaving``, ``saveError``, ``conflicts``, ``canUndo``,
/// ``canRedo``, ``undoName`` or ``redoName`` in a SwiftUI body or in `withObservationTracking` is
/// enough. What the store has is observed through live queries.
@MainActor
public final class ViewContext: Observable {
  let store: Store
  let maintainer: Maintainer
  private var hold: SnapshotHold
  var snapshot: Snapshot { hold.snapshot }
  var layers: ViewLayers
  /// The end of the turn that closes an event's undo group is on its way.
  var endsUndoEvent = false
  var results: [Int: OpenResult] = [:]
  var lastLiveID = 0
  /// What follows the change of the live queries that is under way; nil if none is.
  var endsOfChange: [ObjectIdentifier: @MainActor () -> Void]?
  let waiters = Waiters()
  private(set) lazy var activity = ActivityMonitor(store.activity)
  private let publisher: ChangePublisher
  private let id = ContextID()
  private(set) var isClosed = false
  /// Why the context will not show anything newer.
  private(set) var failure: StoreError?
  let registrar = ObservationRegistrar()
  /// What observers were told last.
  var toldStatus = EditStatus()
  var lastSaveError: StoreError?

  /// A live result, and what the maintainer has for it.
  struct OpenResult {
    weak var result: LiveResult?
    var ids: Set<LiveID>
  }

  init(_ store: Store, _ maintainer: Maintainer, _ snapshot: Snapshot) {
    self.store = store
    self.maintainer = maintainer
    hold = SnapshotHold(snapshot, .viewContext)
    publisher = ChangePublisher(store.writer.options.bounds)
    layers = ViewLayers(store.model, undoLimit: 50)
  }

  /// Who makes this context's commits, as the history says it; nil for ``Stack/Options/author``.
  ///
  /// A save takes what it is when it begins.
  public var author: String?

  /// The number of the newest commit that the context shows.
  public var commit: Int64 { snapshot.commit }

  // MARK: - Editing

  /// Adds a new entity; live queries show it in the same turn.
  ///
  /// If the store has its key already, saving fails with a conflict.
  public func insert<E: Entity>(_ entity: E) {
    defer { tellStatus() }
    if let (table, key) = layers.pending.insert(entity) { didEdit(key, in: table.id) }
  }

  /// Changes an entity; only attributes that `change` changes are edited.
  ///
  /// `change` runs on the context's current value of the entity (unsaved edits over live queries),
  /// or on `entity` if the context holds none. An entity that was deleted here stays deleted.
  ///
  /// - Returns: the entity after the change.
  /// - Precondition: `change` leaves the key alone.
  @discardableResult
  public func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E {
    guard let (table, key) = layers.pending.identify(entity) else { return entity }
    defer { tellStatus() }
    let shown = shown(entity, table, key)
    guard var draft = layers.pending.draft(of: entity, table, key, shown) else { return entity }
    // The context is not being accessed meanwhile: the closure may read and edit it.
    try change(&draft.entity)
    let (edited, didChange) = layers.pending.finish(
      draft, table, key, shown: self.shown(entity, table, key))
    if didChange { didEdit(key, in: table.id) }
    return edited
  }

  /// Deletes an entity; live queries drop it in the same turn. Delete rules run when it is saved.
  public func delete<E: Entity>(_ entity: E) {
    guard let (table, key) = layers.pending.identify(entity) else { return }
    defer { tellStatus() }
    if layers.pending.delete(entity, table, key, shown: shown(entity, table, key)) {
      didEdit(key, in: table.id)
    }
  }

  /// Discards every edit that no save has begun to write.
  public func rollback() {
    changingResults {
      for (table, keys) in layers.rollback() {
        for key in keys { showEdit(of: key, in: table) }
      }
    }
    saveError = nil
    tellStatus()
  }

  /// The edits that would conflict if they were saved now, as far as the context has been told by
  /// commits and by a save that failed.
  ///
  /// Those whose row was deleted underneath are among them, marked as orphaned: such an edit is
  /// shown and kept until it is resolved, rolled back or saved.
  public var conflicts: [Conflict] {
    registrar.access(self, keyPath: \.conflicts)
    return layers.conflicts
  }

  /// Settles a conflict as a save with `policy` would, without saving.
  ///
  /// With `mergeMine` and `overwrite` the edit stays and conflicts no more; with `mergeTheirs` the
  /// attributes in conflict become what the store has; with `discard` the whole edit of the entity
  /// goes. To settle it with another value, keep mine and update the entity.
  ///
  /// - Returns: false if the conflict is over already or being saved, if the store has something
  ///   else by now than it says, or if the policy is `error`.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ policy: SavePolicy) -> Bool {
    guard layers.resolve(conflict, by: policy) else { return false }
    showEdit(of: conflict.key, in: conflict.table.id)
    tellStatus()
    return true
  }

  /// What the context shows for a key right now.
  private func shown<E: Entity>(
    _ entity: E, _ table: Table, _ key: RecordKey
  ) -> Edits.Shown {
    let stored = live(table.id, key) ?? layers.pending.shownBySaves(entity, table, key)
    return layers.shown(table.id, key, over: stored)
  }

  /// The stored record of a key that a live query has.
  func live(_ table: TableID, _ key: RecordKey) -> Edits.Shown? {
    for result in results.values.compactMap(\.result) where result.plan.table.id == table {
      if let record = result.stored(key) { return .record(record) }
    }
    return nil
  }

  func showEdit(of key: RecordKey, in table: TableID) {
    changingResults {
      for result in results.values.compactMap(\.result) {
        result.edit(key, in: table, layers)
      }
    }
  }

  // MARK: - Saving

  /// Saves the edits as one commit, and returns when the context shows it.
  ///
  /// Editing goes on meanwhile; what is edited during the save waits for the next one. If the save
  /// fails, every edit is still here, together with those made meanwhile. Cancelling the task
  /// withdraws a save that has not started; one that has is finished.
  ///
  /// - Returns: the number of the commit that has the edits, the one it shows if there are none.
  /// - Throws: ``StoreError`` with code `conflict`, `uniquenessViolated`, `missingReference`,
  ///   `deleteDenied`, `validationFailed`, `invalidValue`, `cancelled`, `closed`, `busy`,
  ///   `diskFull` or one of SQLite's.
  @discardableResult
  public func save(_ policy: SavePolicy = .error) async throws(StoreError) -> Int64 {
    while layers.isSaving {
      // The merge that would end the other save may never come.
      if isClosed { throw .closed }
      try await waiters.waitUnlessCancelled(for: .endOfSave) { layers.isSaving && !isClosed }
    }
    guard let save = try beginSave() else { return commit }
    store.activity.begin(.saving)
    defer {
      store.activity.end(.saving)
      waiters.saveEnded()
    }
    do throws(StoreError) {
      let commit = try await store.writer.submit(.urgent, context: id) {
        [author] writer throws(StoreError) in
        try writer.saveView(save.layer, save: save.id, policy: policy, author: author)
      }
      let isShown = { self.layers.saving?.id != save.id || self.isClosed }
      while !isShown() {
        await waiters.wait(for: .turn(reaching: commit)) { !isShown() }
      }
      return commit
    } catch {
      layers.saveFailed(error)
      saveDidFail(error)
      throw error
    }
  }

  private func beginSave() throws(StoreError) -> (id: Int, layer: Layer)? {
    do throws(StoreError) {
      let save = try layers.beginSave()
      saveError = nil
      tellStatus()
      return save
    } catch {
      saveDidFail(error)
      throw error
    }
  }

  // MARK: - Fetching

  /// What the context shows, after everything that was committed before the call.
  func caughtUp() async throws(StoreError) -> LayeredFetch {
    try await merged(store.newestCommit)
    try await pinned()
    if isClosed { throw .closed }
    if let failure { throw failure }
    return LayeredFetch(snapshot: snapshot, layers: layers.layers, model: store.model)
  }

  // MARK: - Changes

  /// Every commit from now on, once the context shows it.
  public var changes: ChangeStream<ChangeSet> {
    ChangeStream(publisher.subscribe(to: nil)) { $0 }
  }

  /// The changes of one entity from now on, once the context shows them.
  public func changes<E: Entity>(of type: E.Type) -> ChangeStream<Changes<E>> {
    ChangeStream(publisher.subscribe(to: store.model.table(of: type).id)) { $0.changes(of: type) }
  }

  /// Who consumes the context's changes.
  var backlogs: [ChangeBroadcast.Backlog] { publisher.backlogs }

  // MARK: - Child contexts

  /// A scratch context over what this context shows now; its saves land in this context's unsaved
  /// edits.
  public func scratch() -> sending ScratchContext {
    ScratchContext(store, of: self, snapshot: snapshot, layers: layers.layers)
  }

  /// What a child context reads through.
  var base: (snapshot: Snapshot, layers: [Layer]) { (snapshot, layers.layers) }

  /// Takes a child's edits on top of this context's, rebased onto what it shows now.
  func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) async throws(StoreError) -> (commit: Int64, absorbed: [Edits.Absorbed]) {
    var cursor = publisher.addCursor()
    defer { publisher.removeCursor(cursor) }
    while true {
      if isClosed { throw .closed }
      guard var stored = try await storedRecords(under: layer) else { continue }
      // What came in between is worked into what was read, unless a table was reset.
      let changes = ChangeSet.composed(publisher.read(&cursor))
      if let changes, !stored.follow(changes) { continue }
      let absorbed = try layers.pending.rebased(layer, by: policy) { table, key in
        layers.shown(table, key, over: .init(stored[table, key]))
      }
      defer { tellStatus() }
      for edit in absorbed where edit.change != nil {
        layers.pending.absorb(edit)
        didEdit(edit.key, in: edit.table.id)
      }
      return (snapshot.commit, absorbed)
    }
  }

  /// The stored records of a layer's keys; nil if a suspension came in between.
  private func storedRecords(under layer: Layer) async throws(StoreError) -> StoredRecords? {
    let snapshot = snapshot
    var stored = StoredRecords()
    do throws(StoreError) {
      for (table, changes) in layer.tables {
        stored.tables[table] = try await snapshot.records(
          store.model[table], keys: changes.map(\.key))
      }
      return stored
    } catch {
      guard error.code == .suspended else { throw error }
      try await pinned()
      return nil
    }
  }

  // MARK: - The merge turn

  /// One turn: everything committed since the last one, in one synchronous step.
  ///
  /// - Returns: keys whose stored records must be read first, or nothing when the turn is done.
  func merge(_ turn: MergeTurn) -> [TableID: Set<RecordKey>] {
    let missing = layers.keysToRead(for: turn.changes).filter { table, keys in
      !turn.unreadable.contains(table)
        && !keys.isSubset(of: turn.stored[table].map { Set($0.keys) } ?? [])
    }
    if !missing.isEmpty { return missing }
    if turn.snapshot !== snapshot { hold = SnapshotHold(turn.snapshot, .viewContext) }
    failure = turn.failure
    let touched = layers.merge(
      turn.changes, completedSave: turn.completedSave, stored: turn.stored)
    mergeResults(turn, touched)
    tellStatus()
    if let changes = turn.changes { publisher.publish(changes) }
    if failure == nil { waiters.turnCame(commit: commit) } else { waiters.resumeAll() }
    return [:]
  }

  /// Ends streams and waits; what is in memory stays readable.
  func close() {
    isClosed = true
    publisher.finish()
    for entry in results.values { entry.result?.finish() }
    waiters.resumeAll()
  }
}
