/// The unsaved edits of one context: its layer, the saving layer under it, and the errors of entities
/// that have no record.
///
/// Every kind of context uses this type. The context passes the state that it shows for a key.
struct Edits: Sendable {
  let model: Model
  var layer = Layer()
  /// Whether the rows below may be newer than the layer. An edited row then shows the newer values of the
  /// attributes that are not edited. A list that was placed over the older rows is dropped.
  var followsRows = false { didSet { dropLists() } }
  private var savingFollowsRows = false
  /// Makes records, also for copies of the edits on other threads.
  private let builder = Lock(RecordBuilder())
  /// The errors of edits that are not in the layer because an entity could not become a record.
  ///
  /// The errors are kept by table and key. A later edit of the key that succeeds, or a rollback,
  /// removes the error. A save throws it.
  private(set) var rejected: [TableID: [RecordKey: StoreError]] = [:]

  var undo: UndoHistory
  /// The lists in which the context places entities.
  var lists = OrderedLists()
  private var save = ContextSave()

  init(_ model: Model, undoLimit: Int = 0) {
    self.model = model
    undo = UndoHistory(model, limit: undoLimit)
  }

  var isEmpty: Bool { layer.isEmpty && rejected.isEmpty }

  /// Discards the edits, but not the edits that are being saved.
  mutating func removeAll() {
    layer = Layer()
    dropLists()
    rejected = [:]
    undo.removeAll()
  }

  /// Throws the error of a rejected edit, if there is one.
  ///
  /// - Throws: the first rejected edit's error. If the edit's key could not be stored either, no
  ///   later edit can remove the error, so it is thrown only once.
  mutating func checkRejected() throws(StoreError) {
    for id in rejected.keys.sorted() {
      guard let first = rejected[id]?.min(by: { $0.key < $1.key }) else { continue }
      if first.key == RecordKey(.null) { forgetRejection(id, first.key) }
      throw first.value
    }
  }

  /// Makes an edit on top of the layer, and records it for undo.
  ///
  /// - Parameters:
  ///   - old: the layer's change of the key.
  ///   - shown: the edit's change of the record that the context shows.
  mutating func compose(
    _ change: LayerChange, over old: LayerChange?, shown: Change, _ table: TableID, _ key: RecordKey
  ) {
    layer.compose(change, table, key)
    guard undo.isRecording else { return }
    let new = layer[table, key]
    let isBlind = old?.isBlind == true || new?.isBlind == true
    if isBlind ? old == new : shown.isIdentity { return }
    undo.record(
      UndoChange(shown: isBlind ? nil : shown, layer: .init(before: old, after: new)), table, key)
  }

  // MARK: Saving

  /// The edits that are being saved; nil if no save is under way.
  var saving: ContextSave.Cargo? { save.cargo }

  /// Moves the layer into the saving layer.
  mutating func beginSave() -> ContextSave.Cargo {
    defer { (layer, followsRows, savingFollowsRows) = (Layer(), false, followsRows) }
    return save.begin(layer, firstPart: undo.beginSave())
  }

  /// Puts the edits of a failed save back below later edits.
  ///
  /// - Returns: the keys that were edited again since the save began.
  mutating func saveFailed() -> [TableID: Set<RecordKey>] {
    guard let failed = save.failed() else { return [:] }
    undo.saveFailed(failed.layer, from: failed.firstPart)
    let later = layer
    layer = failed.layer
    layer.compose(later)
    followsRows = followsRows || savingFollowsRows
    var edited = later.keys
    for (table, keys) in edited { edited[table] = keys.filter { failed.layer[table, $0] != nil } }
    return edited
  }

  /// Ends a save that the context shows now; nil if a different save or none is under way.
  @discardableResult
  mutating func endSave(_ id: Int) -> ContextSave.Cargo? {
    dropLists()
    return save.committed(id)
  }

  /// Notes that the rows below may be newer than the layers from now on.
  mutating func followRows() { (followsRows, savingFollowsRows) = (!layer.isEmpty, true) }

  /// Returns the saving layer over the layers of the context's ancestors.
  func savingLayer(over ancestors: LayerStack) -> LayerStack {
    ancestors.adding(saving?.layer, followsRows: savingFollowsRows)
  }

  // MARK: Entities

  /// Returns the record of an entity.
  func encoded<E: Entity>(_ entity: E, _ table: Table) throws(CodingFailure) -> Record {
    try builder.withLock { builder in
      Result { () throws(CodingFailure) in try table.encode(entity, builder) }
    }.get()
  }

  /// Returns the key and the record of an entity; nil if the entity was rejected.
  private mutating func encode<E: Entity>(_ entity: E, _ table: Table) -> (RecordKey, Record)? {
    do throws(CodingFailure) {
      let record = try encoded(entity, table)
      let key = record.key(Table.keyColumn)
      if rejected[table.id] != nil { forgetRejection(table.id, key) }
      return (key, record)
    } catch {
      let key = entity.id.recordKey ?? RecordKey(.null)
      rejected[table.id, default: [:]][key] = table.error(error, key: key)
      return nil
    }
  }

  /// Rejects a link because one of its keys cannot be stored.
  mutating func reject(_ error: ValueError, of table: Table) {
    let failure = CodingFailure(column: Table.keyColumn, error: error)
    rejected[table.id, default: [:]][RecordKey(.null)] = table.error(failure, key: nil)
  }

  /// Takes over which entities of other edits were rejected.
  mutating func reject(as other: Edits) {
    for (table, keys) in other.layer.keys where rejected[table] != nil {
      for key in keys { forgetRejection(table, key) }
    }
    for (table, errors) in other.rejected {
      rejected[table, default: [:]].merge(errors) { $1 }
    }
  }

  private mutating func forgetRejection(_ table: TableID, _ key: RecordKey) {
    rejected[table]?[key] = nil
    if rejected[table]?.isEmpty == true { rejected[table] = nil }
  }

  /// Returns the table and the key of an entity; nil if the key cannot be stored.
  func identify<E: Entity>(_ entity: E) -> (Table, RecordKey)? {
    entity.id.recordKey.map { (model.table(of: E.self), $0) }
  }

  /// Returns the record of a value in hand; nil if it cannot be stored.
  func record<E: Entity>(of entity: E, _ table: Table) -> Record? {
    try? encoded(entity, table)
  }

  /// Inserts an entity.
  ///
  /// - Parameter shown: the state that the context shows for the key before the edit.
  /// - Returns: the entity's table and key; nil if it was rejected.
  mutating func insert<E: Entity>(
    _ entity: E, shown: RecordState = .unknown
  ) -> (Table, RecordKey)? {
    let table = model.table(of: E.self)
    guard let (key, record) = encode(entity, table) else { return nil }
    let old = layer[table.id, key]
    let before = shown.record ?? old?.applied(to: nil)
    let edit = table.meet(.set(record), before)
    let known = old == nil ? Change(before: nil, after: record) : edit
    compose(
      old?.isBlind == true ? .blind(.set(record)) : .known(known), over: old, shown: edit,
      table.id, key)
    return (table, key)
  }

  mutating func upsert<E: Entity>(_ entity: E) -> (Table, RecordKey)? {
    let table = model.table(of: E.self)
    guard let (key, record) = encode(entity, table) else { return nil }
    let old = layer[table.id, key]
    let edit = Change(before: old?.applied(to: nil), after: record)
    compose(.blind(.set(record)), over: old, shown: edit, table.id, key)
    return (table, key)
  }

  /// Deletes the row with a key, whatever it is.
  ///
  /// - Returns: the table and the key; nil if the key cannot be stored.
  mutating func delete<E: Entity>(_ type: E.Type, _ id: E.ID) -> (Table, RecordKey)? {
    guard let key = id.recordKey else { return nil }
    let table = model.table(of: type)
    forgetRejection(table.id, key)
    let old = layer[table.id, key]
    let edit = Change(before: old?.applied(to: nil), after: nil)
    compose(.blind(.set(nil)), over: old, shown: edit, table.id, key)
    return (table, key)
  }

  /// Deletes an entity if the context shows it.
  ///
  /// - Returns: the entity's table and key; nil if nothing was edited.
  mutating func delete<E: Entity>(
    _ entity: E, _ table: Table, _ key: RecordKey, shown: RecordState
  ) -> (Table, RecordKey)? {
    forgetRejection(table.id, key)
    // A value in hand that cannot be stored was never in the store.
    guard let before = shown.record else { return nil }
    make(Change(before: before, after: nil), table.id, key)
    return (table, key)
  }

  /// An entity during an update, which starts from the value that the context shows.
  struct Draft<E: Entity> {
    var entity: E
    fileprivate let before: Record
  }

  /// Returns the draft that an update starts from.
  ///
  /// - Parameter inHand: the record of `entity`, if it has one.
  /// - Returns: nil if the context has deleted the entity, or if the entity cannot be stored.
  mutating func draft<E: Entity>(
    of entity: E, _ table: Table, _ key: RecordKey, _ shown: RecordState, inHand: Record?
  ) -> Draft<E>? {
    switch shown {
    case .absent: return nil
    case .record(let record):
      let isInHand = record == inHand
      return Draft(
        entity: isInHand ? entity : table.decodeLeniently(record, as: E.self), before: record)
    case .unknown:
      guard let (_, record) = encode(entity, table) else { return nil }
      return Draft(entity: entity, before: record)
    }
  }

  /// Records the result of an update.
  ///
  /// - Parameters:
  ///   - shown: the state that the context shows now. The update itself may have edited the entity.
  ///   - replaced: the record of the value in hand, if the draft began with a later row from
  ///     ``OwnSaves``.
  /// - Returns: the entity after the update, and whether the layer changed.
  mutating func finish<E: Entity>(
    _ draft: Draft<E>, _ table: Table, _ key: RecordKey, shown: RecordState,
    replaced: Record? = nil
  ) -> (entity: E, didChange: Bool) {
    guard let (newKey, written) = encode(draft.entity, table) else { return (draft.entity, false) }
    guard newKey == key else {
      fatalError(
        "\(E.self) \(key): an update cannot change the key; delete it and insert another one")
    }
    // A value that the update leaves alone keeps the spelling that it has in the store.
    let after = table.respelled(written, like: draft.before, seesDefaults: true)
    var edit = Change(before: draft.before, after: after)
    switch shown {
    case .absent: return (draft.entity, false)
    case .record(let now): edit = Change(before: now, after: edit.applied(to: now))
    case .unknown: break
    }
    let entity =
      edit.after.flatMap { $0 == after ? nil : table.decodeLeniently($0, as: E.self) }
      ?? draft.entity
    if edit.isIdentity {
      // The update gave the value in hand the values that an own save wrote. Only the writer knows
      // which of the two is newer: the store has either of them, or the save conflicts.
      guard layer[table.id, key] == nil, let replaced, replaced != after else {
        return (entity, false)
      }
      edit = Change(before: replaced, after: after)
      layer.note(ownSave: edit, table.id, key)
    }
    compose(.known(edit), over: layer[table.id, key], shown: edit, table.id, key)
    return (entity, true)
  }
}
