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
  /// The turn whose edits are one undo group.
  var undoTurn: UndoTurn?
  var results: [Int: OpenResult] = [:]
  var lastLiveID = 0
  private var turn = ContextTurn()
  /// What follows the change of the live queries that is under way, in the order of asking.
  private var endsOfChange: [(observer: ObjectIdentifier, end: @MainActor () -> Void)] = []
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
    publisher = ChangePublisher(store.writer.options.bounds, composesElsewhere: true)
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
    let shown = layers.pending.identify(entity).map { table, key in
      layers.state(of: key, in: table, or: stored(table, key))
    }
    edit { $0.pending.insert(entity, shown: shown ?? .unknown) }
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
    let inHand = layers.pending.record(of: entity, table)
    let shown = shown(key, in: table, or: inHand)
    guard var draft = layers.pending.draft(of: entity, table, key, shown, inHand: inHand) else {
      return entity
    }
    // The context is not being accessed meanwhile: the closure may read and edit it.
    try change(&draft.entity)
    let now = self.shown(key, in: table, or: inHand)
    beginEdit(key, in: table)
    let (edited, didChange) = layers.pending.finish(draft, table, key, shown: now)
    if didChange { didEdit(key, in: table) }
    // An attribute that is set back to what it was follows the store again.
    guard stored(table, key).isKnown, let record = self.shown(key, in: table, or: nil).record else {
      return edited
    }
    return table.decodeLeniently(record, as: E.self)
  }

  /// Deletes an entity; live queries drop it in the same turn. Delete rules run when it is saved.
  public func delete<E: Entity>(_ entity: E) {
    guard let (table, key) = layers.pending.identify(entity) else { return }
    let shown = shown(key, in: table, or: layers.pending.record(of: entity, table))
    edit { $0.pending.delete(entity, table, key, shown: shown) ? (table, key) : nil }
  }

  /// Discards every edit that no save has begun to write.
  public func rollback() {
    changing {
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
    changing { showEdit(of: conflict.key, in: conflict.table.id) }
    tellStatus()
    return true
  }

  // MARK: - Rows in memory

  /// What the store has for a key at the context's commit, as far as that is in memory.
  func stored(_ table: Table, _ key: RecordKey) -> RecordState {
    let known = layers.base[table.id, key]
    return known.isKnown ? known : live(table, key)
  }

  /// What live queries have in memory of the store's row.
  func live(_ table: Table, _ key: RecordKey) -> RecordState {
    for entry in results.values {
      guard let result = entry.result, result.plan.table.id == table.id else { continue }
      // Results of one commit agree, so any of them will do.
      if let record = result.stored(key) { return .record(record) }
    }
    return .unknown
  }

  /// What the context shows for a key: its edits over what the store has or, where nothing in memory
  /// says that, over the value in hand.
  private func shown(_ key: RecordKey, in table: Table, or inHand: Record?) -> RecordState {
    let stored = stored(table, key)
    let row = stored.isKnown ? stored : inHand.map(RecordState.record) ?? .unknown
    return layers.state(of: key, in: table, or: row)
  }

  // MARK: - Edits

  /// Makes one edit of a key, shows it and tells of it.
  ///
  /// - Parameter body: makes the edit; nil if it changed nothing.
  func edit(_ body: (inout ViewLayers) -> (Table, RecordKey)?) {
    defer { tellStatus() }
    beginTurn()
    guard let (table, key) = body(&layers) else { return }
    layers.follow(key, in: table.id, stored(table, key))
    didEdit(key, in: table)
  }

  /// Notes that a key is about to be edited.
  func beginEdit(_ key: RecordKey, in table: Table) {
    beginTurn()
    layers.follow(key, in: table.id, stored(table, key))
  }

  /// Shows an edit, and sees to it that the undo group of this turn ends with the turn.
  func didEdit(_ key: RecordKey, in table: Table) {
    layers.didEdit(key, in: table)
    changing { showEdit(of: key, in: table.id) }
    endUndoEventWithTurn()
  }

  /// Lays an edit over every live result.
  func showEdit(of key: RecordKey, in table: TableID) {
    for entry in results.values { entry.result?.edit(key, in: table, layers) }
  }

  // MARK: - Changes and who is told

  /// Runs one half of a change: `change` changes layers and live results, and when it and all that
  /// it is part of are done, everyone is told once, live queries in the order of their opening.
  ///
  /// Whoever is told and edits the context changes the finished state; that change is told next.
  func changing(_ change: () -> Void) {
    turn.begin()
    change()
    if turn.end() {
      tell()
      turn.told()
    }
  }

  private func tell() {
    while true {
      let numbers = results.filter { $0.value.result?.hasNews == true }.keys.sorted()
      for number in numbers { results[number]?.result?.tell() }
      let ends = endsOfChange
      endsOfChange = []
      for (_, end) in ends { end() }
      if numbers.isEmpty && ends.isEmpty { return }
    }
  }

  /// Calls `end` when every live query has told its part of the change that is under way; at once
  /// if none is.
  ///
  /// For whoever shows several queries: an element may leave one and come to another.
  ///
  /// - Parameter observer: who calls this; once for each is enough.
  package func afterChange(of observer: AnyObject, _ end: @escaping @MainActor () -> Void) {
    if turn == ContextTurn() { return end() }
    let observer = ObjectIdentifier(observer)
    if !endsOfChange.contains(where: { $0.observer == observer }) {
      endsOfChange.append((observer, end))
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
      let edited = layers.saveFailed(error)
      changing {
        for (table, key) in edited {
          layers.didEdit(key, in: store.model[table])
          showEdit(of: key, in: table)
        }
      }
      saveDidFail(error)
      throw error
    }
  }

  private func beginSave() throws(StoreError) -> ViewSave.Cargo? {
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
    return LayeredFetch(snapshot: snapshot, layers: layers.stack, model: store.model)
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

  // MARK: - The merge turn

  /// One turn: everything committed since the last one, in one synchronous step.
  ///
  /// First the snapshot, the rows under the layers and every live result are those of the newest
  /// commit. Then everyone is told once, in this order: live queries by their opening (observation,
  /// streams, observers by key), what follows several queries, the status of the edits, change
  /// streams, tasks that wait for the commit.
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
    changing { mergeLayersAndResults(turn) }
    tellStatus()
    if let changes = turn.changes { publisher.publish(changes) }
    if failure == nil { waiters.turnCame(commit: commit) } else { waiters.resumeAll() }
    return [:]
  }

  /// Ends streams and waits; what is in memory stays readable.
  func close() {
    isClosed = true
    publisher.finish()
    for number in results.keys.sorted() { results[number]?.result?.finish() }
    waiters.resumeAll()
  }
}
