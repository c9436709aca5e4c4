public import Observation

/// The main actor's context: a consistent state of the store, unsaved edits on top, live queries.
///
/// Access to values in memory is synchronous. Access to the store is `async` and runs elsewhere, so
/// no call of this type blocks the main thread on the store. Commits of other contexts and
/// processes arrive between turns of the main actor, never within a turn.
///
/// `Observable`: reading ``hasChanges``, ``isSaving``, ``saveError``, ``conflicts``, ``canUndo``,
/// ``canRedo``, ``undoName`` or ``redoName`` in a SwiftUI body or in `withObservationTracking` is
/// enough. Live queries observe the rows of the store.
@MainActor
public final class ViewContext: Observable {
  let store: Store
  let maintainer: Maintainer
  private var hold: SnapshotHold
  var snapshot: Snapshot { hold.snapshot }
  var layers: ViewLayers { didSet { edition += 1 } }
  /// The number of changes of the layers.
  private(set) var edition = 0
  /// Whether a large change is being made elsewhere.
  var isChangingElsewhere = false
  /// The tasks that wait for the end of such a change.
  let elsewhere = Waiters()
  let undoTurns = UndoTurns()
  let results = OpenResults()
  private var turn = ContextTurn()
  /// The rows that were shown before the edits that are shown together; nil if each edit is shown at once.
  var together: [TableID: [RecordKey: RecordState]]?
  /// The closures to call after the current change of the live queries, in the order of the calls.
  private var endsOfChange: [(observer: ObjectIdentifier, end: @MainActor () -> Void)] = []
  let waiters = Waiters()
  private let publisher: ChangePublisher
  private let id = ContextID()
  private(set) var isClosed = false
  /// Why the context stays at its commit for good.
  private(set) var failure: StoreError?
  let registrar = ObservationRegistrar()
  let reported = ReportedStatus()

  init(_ store: Store, _ maintainer: Maintainer, _ snapshot: Snapshot) {
    self.store = store
    self.maintainer = maintainer
    hold = SnapshotHold(snapshot, .viewContext)
    publisher = ChangePublisher(store.writer.options.settings.bounds, composesElsewhere: true)
    layers = ViewLayers(store.model, undoLimit: 50)
  }

  /// The author of this context's commits in the history; nil for ``StackOptions/author``.
  ///
  /// A save takes the author at its start.
  public var author: String?

  /// The number of the newest commit that the context shows.
  public var commit: Int64 { snapshot.commit }

  // MARK: - Editing

  /// Adds a new entity; live queries show it in the same turn.
  ///
  /// If the store already has a row with the key, saving fails with a conflict.
  public func insert<E: Entity>(_ entity: E) {
    edit(layers.pending.identify(entity)) { $0.insert(entity, shown: $1) }
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
    edit(layers.pending.identify(entity)) { edits, _ in edits.upsert(entity) }
  }

  /// Changes an entity; only the attributes that `change` changes are edited.
  ///
  /// `change` runs on `entity` with this context's own edits and saves over it. A value that another
  /// context has changed since `entity` was read conflicts with the edit of the same attribute, also
  /// if a live query shows the newer value. So the outcome of a save does not depend on the screens
  /// that are open. An entity that was deleted in this context stays deleted.
  ///
  /// - Returns: the entity after the change.
  /// - Precondition: `change` does not change the key.
  @discardableResult
  public func update<E: Entity>(_ entity: E, _ change: (inout E) throws -> Void) rethrows -> E {
    guard let (table, key) = layers.pending.identify(entity) else { return entity }
    defer { reportStatus() }
    let inHand = layers.pending.record(of: entity, table)
    let shown = shown(key, in: table, or: inHand)
    guard var draft = layers.pending.draft(of: entity, table, key, shown, inHand: inHand) else {
      return entity
    }
    // The closure may read and edit the context: no access to the context is open here.
    try change(&draft.entity)
    let now = self.shown(key, in: table, or: inHand)
    beginTurn()
    let before = follow(key, in: table, like: inHand)
    let (edited, didChange) = layers.pending.finish(draft, table, key, shown: now)
    if didChange { didEdit(key, in: table, before) }
    // An attribute that is set back to its value before the edit follows the store again.
    guard layers.base[table.id, key].isKnown,
      let record = layers.state(of: key, in: table, or: .unknown).record
    else { return edited }
    return table.decodeLeniently(record, as: E.self)
  }

  /// Deletes an entity; live queries drop it in the same turn. The save runs the delete rules.
  public func delete<E: Entity>(_ entity: E) {
    guard let (table, key) = layers.pending.identify(entity) else { return }
    let inHand = layers.pending.record(of: entity, table)
    let shown = shown(key, in: table, or: inHand)
    edit((table, key), like: inHand) { edits, _ in edits.delete(entity, table, key, shown: shown) }
  }

  /// Deletes the entity with a key without reading it first; live queries drop it in the same turn.
  ///
  /// The deletion never conflicts: it deletes whatever the store has when it is saved. If the entity has no
  /// unsaved edits, an insertion after the deletion replaces the row in the same way, and overwrites what
  /// others have committed. To keep the changes of others, delete the entity that you have read.
  public func delete<E: Entity>(_ type: E.Type, _ id: E.ID) {
    let table = store.model.table(of: type)
    edit(id.recordKey.map { (table, $0) }) { edits, _ in edits.delete(type, id) }
  }

  /// Discards every edit that no save has begun to write.
  ///
  /// - Complexity: O(*n*) for *n* edits, in this turn; ``rollbackInBackground()`` holds the main actor for a few
  ///   milliseconds.
  public func rollback() {
    let before = shownRows(of: layers.pending.layer.keys)
    showEdits(of: layers.rollback(), before: before)
    saveError = nil
    reportStatus()
  }

  /// Discards every edit that no save has begun to write, as ``rollback()`` does, without holding the main actor for
  /// long.
  ///
  /// - Throws: ``StoreError`` with code `closed`.
  public func rollbackInBackground() async throws {
    try await changeElsewhere { version in
      version.edit(version.layers.pending.layer.keys) { $0.rollback() }
    }
    saveError = nil
  }

  /// The edits that would conflict if they were saved at this moment.
  ///
  /// The context learns of conflicts from commits and from a failed save. They include edits whose
  /// row was deleted in the store, marked as orphaned. Such an edit is shown and kept until it is
  /// resolved, rolled back or saved.
  public var conflicts: [Conflict] {
    registrar.access(self, keyPath: \.conflicts)
    return layers.conflicts
  }

  /// Resolves a conflict as a save with `policy` would, without saving.
  ///
  /// With `mergeMine` and `overwrite`, the edit stays and no longer conflicts. With `mergeTheirs`,
  /// the conflicting attributes take the store's values. With `discard`, the whole edit of the
  /// entity is dropped. To resolve the conflict with another value, resolve it with `mergeMine` and
  /// update the entity.
  ///
  /// - Returns: false if the conflict is over or being saved, if the store's row differs from the
  ///   one in `conflict`, or if the policy is `error`.
  @discardableResult
  public func resolve(_ conflict: Conflict, _ policy: SavePolicy) -> Bool {
    let before = layers.state(of: conflict.key, in: conflict.table, or: .unknown)
    guard layers.resolve(conflict, by: policy) else { return false }
    showEdit(of: conflict.key, in: conflict.table, before)
    reportStatus()
    return true
  }

  // MARK: - Changes and reports

  /// Makes a change and reports it once, live queries in the order in which they were opened.
  ///
  /// `change` changes layers and live results. Changes may nest; the outermost one reports. An
  /// observer that edits the context sees the finished state, and its edit is reported next.
  func changing(_ change: () -> Void) {
    turn.begin()
    change()
    if turn.end() {
      report()
      turn.didReport()
    }
  }

  private func report() {
    while true {
      let numbers = results.takeUnreported()
      for number in numbers { results.result(number)?.report() }
      let ends = endsOfChange
      endsOfChange = []
      for (_, end) in ends { end() }
      if numbers.isEmpty && ends.isEmpty { return }
    }
  }

  /// Calls `end` after every live query has reported its part of the current change.
  ///
  /// If no change is in progress, it calls `end` at once. Consumers of several queries need it,
  /// because an element may leave one query and enter another.
  ///
  /// - Parameter observer: the caller; each observer's first closure in a change counts.
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
  /// Editing goes on meanwhile; edits made during the save wait for the next save. If the save
  /// fails, the context keeps every edit, together with the edits made meanwhile. Cancelling the
  /// task withdraws a save that has not started; a started save is finished.
  ///
  /// - Returns: the number of the commit that has the edits; without edits, of the commit that the
  ///   context shows.
  /// - Throws: ``StoreError`` with code `conflict`, `uniquenessViolated`, `missingReference`,
  ///   `deleteDenied`, `validationFailed`, `invalidValue`, `cancelled`, `closed`, `busy`,
  ///   `diskFull` or one of SQLite's.
  @discardableResult
  public func save(_ policy: SavePolicy = .error) async throws -> Int64 {
    while layers.isSaving {
      // After closing, the merge that ends the other save may never come.
      if isClosed { throw StoreError.closed }
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
      await waiters.wait(for: .turn(reaching: commit)) {
        layers.saving?.id == save.id && !isClosed
      }
      return commit
    } catch {
      let before = shownRows(of: layers.pending.layer.keys)
      showEdits(of: layers.saveFailed(error), before: before)
      saveDidFail(error)
      throw error
    }
  }

  private func beginSave() throws(StoreError) -> ContextSave.Cargo? {
    do throws(StoreError) {
      let save = try layers.beginSave()
      saveError = nil
      reportStatus()
      return save
    } catch {
      saveDidFail(error)
      throw error
    }
  }

  // MARK: - Fetching

  /// Returns a fetch over the rows that the context shows, once it shows every commit before the
  /// call.
  func caughtUp() async throws(StoreError) -> LayeredFetch {
    try await catchUp(to: store.newestCommit)
    try await pinned()
    if isClosed { throw .closed }
    if let failure { throw failure }
    return LayeredFetch(snapshot: snapshot, layers: layers.stack, model: store.model)
  }

  // MARK: - Changes

  /// The commits from this call on, each as soon as the context shows it.
  public var changes: ChangeStream<ChangeSet> {
    ChangeStream(publisher.subscribe(to: nil)) { $0 }
  }

  /// Returns the changes of one entity from this call on, each as soon as the context shows it.
  public func changes<E: Entity>(of type: E.Type) -> ChangeStream<Changes<E>> {
    ChangeStream(publisher.subscribe(to: store.model.table(of: type).id)) { $0.changes(of: type) }
  }

  /// The backlogs of the consumers of the context's changes.
  var backlogs: [ChangeBroadcast.Backlog] { publisher.backlogs }

  // MARK: - The merge turn

  /// Returns the keys whose stored records a turn needs, and that it lacks.
  func missing(for turn: MergeTurn) -> [TableID: Set<RecordKey>] {
    layers.keysToRead(for: turn.changes).filter { table, keys in
      !turn.unreadable.contains(table)
        && !keys.isSubset(of: turn.stored[table].map { Set($0.keys) } ?? [])
    }
  }

  /// Merges everything that was committed since the last turn, in one synchronous step.
  ///
  /// First the snapshot, the rows below the layers and every live result move to the newest commit.
  /// Then each change is reported once, in this order: live queries in the order in which they were
  /// opened (observation, streams, observers by key), the closures of ``afterChange(of:_:)``, the
  /// status of the edits, change streams, tasks that wait for the commit.
  ///
  /// - Parameter change: changes the layers and the live results.
  func merge(_ turn: MergeTurn, by change: () -> Void) {
    if turn.snapshot !== snapshot { hold = SnapshotHold(turn.snapshot, .viewContext) }
    failure = turn.failure
    changing(change)
    reportStatus()
    if let changes = turn.changes { publisher.publish(changes) }
    if failure == nil { waiters.turnCame(commit: commit) } else { waiters.resumeAll() }
  }

  /// Ends streams and waits; everything in memory stays readable.
  func close() {
    isClosed = true
    publisher.finish()
    for result in results.all { result.finish() }
    waiters.resumeAll()
  }
}
