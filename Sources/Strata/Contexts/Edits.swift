/// The unsaved edits of one context: its layer, and entities that could not become records.
///
/// Used by every kind of context; the context says what it shows for a key.
struct Edits {
  /// What a context shows for a key.
  enum Shown {
    case record(Record)
    case deleted
    /// Nothing in memory says what the store has.
    case unknown
  }

  let model: Model
  var layer = Layer()
  /// What own saves did to a key: a value in hand from before them stands for what they wrote.
  /// Without it, that value would conflict with the very save of this context.
  private struct OwnSave {
    /// The most values remembered of a key, the newest ones.
    static let limit = 8
    var replaced: [Record?] = []
    var written: Record?
  }

  private var ownSaves: [TableID: [RecordKey: OwnSave]] = [:]
  /// The most keys of a table that are remembered; past it, the value in hand counts.
  private static let ownSaveLimit = 10_000
  let builder = RecordBuilder()
  /// Why an entity's edit is not in the layer, by table and key. A later edit of the key that
  /// works, or a rollback, settles it; saving reports it.
  private(set) var rejected: [TableID: [RecordKey: StoreError]] = [:]

  var undo: UndoHistory

  /// Whether the context hears of every commit, so that it knows what the store has.
  private let followsCommits: Bool

  init(_ model: Model, undoLimit: Int = 0, followsCommits: Bool = false) {
    self.model = model
    self.followsCommits = followsCommits
    undo = UndoHistory(limit: undoLimit)
  }

  var isEmpty: Bool { layer.isEmpty && rejected.isEmpty }

  mutating func removeAll() {
    layer = Layer()
    rejected = [:]
    undo.removeAll()
  }

  /// - Throws: the first edit that could not be stored; one whose key could not be stored either,
  ///   so that no later edit can settle it, is reported once.
  mutating func checkRejected() throws(StoreError) {
    for id in rejected.keys.sorted() {
      guard let first = rejected[id]?.min(by: { $0.key < $1.key }) else { continue }
      if first.key == RecordKey(.null) { settle(id, first.key) }
      throw first.value
    }
  }

  // MARK: Own saves

  /// Notes what saving a layer wrote; what `changes` does not have, a delete rule took back.
  mutating func remember(_ layer: Layer, as changes: [TableID: TableChanges]) {
    for (table, edited) in layer.tables {
      guard edited.count + (ownSaves[table]?.count ?? 0) <= Self.ownSaveLimit else {
        ownSaves[table] = nil
        continue
      }
      for (key, edit) in edited {
        guard let change = changes[table]?[key] else { continue }
        var save = ownSaves[table]?[key] ?? OwnSave()
        if case .known(let edit) = edit { save.replaced.append(edit.before) }
        save.replaced.append(change.before)
        save.replaced = save.replaced.suffix(OwnSave.limit)
        save.written = change.after
        ownSaves[table, default: [:]][key] = save
      }
    }
  }

  /// The newest commit of an own save.
  var savedThrough: Int64 = 0

  /// Forgets own saves when something newer is read: what is read may be what they replaced.
  mutating func willRead(_ commit: Int64) {
    if commit > savedThrough { ownSaves = [:] }
  }

  /// Follows what others do to remembered records.
  mutating func follow(_ changes: TableChanges, _ table: TableID) {
    guard let count = ownSaves[table]?.count else { return }
    guard case .rows(let rows) = changes else {
      ownSaves[table] = nil
      return
    }
    // The shorter list is walked: after thousands of one-row saves each would walk all of them.
    if rows.count <= count {
      for row in rows { ownSaves[table]?[row.key]?.written = row.change.after }
    } else {
      for key in ownSaves[table].map({ Array($0.keys) }) ?? [] {
        if let change = changes[key] { ownSaves[table]?[key]?.written = change.after }
      }
    }
  }

  /// What own saves made of an entity, if the value in hand is one that they replaced.
  func shownBySaves<E: Entity>(_ entity: E, _ table: Table, _ key: RecordKey) -> Shown {
    guard let save = ownSaves[table.id]?[key], let record = try? table.encode(entity, builder),
      save.replaced.contains(record)
    else { return .unknown }
    return Shown(save.written)
  }

  // MARK: Entities

  /// The key and the record of an entity; nil if it was rejected.
  private mutating func encode<E: Entity>(_ entity: E, _ table: Table) -> (RecordKey, Record)? {
    do throws(CodingFailure) {
      let record = try table.encode(entity, builder)
      let key = record.key(Table.keyColumn)
      if rejected[table.id] != nil { settle(table.id, key) }
      return (key, record)
    } catch {
      let key = (try? entity.id.cell).map(RecordKey.init) ?? RecordKey(.null)
      rejected[table.id, default: [:]][key] = table.error(error, key: key)
      return nil
    }
  }

  /// Notes a link between keys of which one cannot be stored.
  mutating func reject(_ error: ValueError, of table: Table) {
    let failure = CodingFailure(column: Table.keyColumn, error: error)
    rejected[table.id, default: [:]][RecordKey(.null)] = table.error(failure, key: nil)
  }

  private mutating func settle(_ table: TableID, _ key: RecordKey) {
    rejected[table]?[key] = nil
    if rejected[table]?.isEmpty == true { rejected[table] = nil }
  }

  mutating func insert<E: Entity>(_ entity: E) -> (Table, RecordKey)? {
    let table = model.table(of: E.self)
    guard let (key, record) = encode(entity, table) else { return nil }
    let old = layer[table.id, key]
    layer.replace(table.id, key) { change in
      switch change {
      case .known(let change):
        LayerChange.known(Change(before: change.before, after: record)).normalized
      case .blind: .blind(.set(record))
      case nil: .known(Change(before: nil, after: record))
      }
    }
    self.record(
      Change(before: old?.applied(to: nil), after: record), over: old, table.id, key)
    return (table, key)
  }

  mutating func upsert<E: Entity>(_ entity: E) -> (Table, RecordKey)? {
    let table = model.table(of: E.self)
    guard let (key, record) = encode(entity, table) else { return nil }
    let old = layer[table.id, key]
    layer.compose(.blind(.set(record)), table.id, key)
    self.record(
      Change(before: old?.applied(to: nil), after: record), over: old, table.id, key)
    return (table, key)
  }

  /// The table and the key of an entity; nil if the key cannot be stored.
  func identify<E: Entity>(_ entity: E) -> (Table, RecordKey)? {
    (try? entity.id.cell).map { (model.table(of: E.self), RecordKey($0)) }
  }

  /// Deletes an entity of which the context shows something.
  ///
  /// - Returns: whether the layer changed.
  mutating func delete<E: Entity>(
    _ entity: E, _ table: Table, _ key: RecordKey, shown: Shown
  ) -> Bool {
    settle(table.id, key)
    let old = layer[table.id, key]
    let deletion: Change
    switch shown {
    case .deleted: return false
    case .record(let record): deletion = Change(before: record, after: nil)
    case .unknown:
      // The value in hand is what its owner saw; if it cannot be stored, it never was.
      guard let (_, record) = encode(entity, table) else {
        settle(table.id, key)
        return false
      }
      deletion = Change(before: record, after: nil)
    }
    if case .blind? = old {
      layer[table.id, key] = .blind(.set(nil))
    } else {
      layer.compose(.known(deletion), table.id, key)
    }
    self.record(deletion, over: old, table.id, key)
    return true
  }

  /// What a context shows for an entity, on its way through an update.
  struct Draft<E: Entity> {
    var entity: E
    fileprivate let before: Record
    /// The value in hand, if the draft starts from what an own save made of it.
    fileprivate let inHand: Record?
  }

  /// What an update starts from: what the context shows, or the value in hand if it shows nothing;
  /// nil if the context has deleted the entity, or if it cannot be stored.
  mutating func draft<E: Entity>(
    of entity: E, _ table: Table, _ key: RecordKey, _ shown: Shown
  ) -> Draft<E>? {
    switch shown {
    case .deleted: return nil
    case .record(let record):
      let inHand = ownSaves[table.id]?[key] == nil ? nil : try? table.encode(entity, builder)
      return Draft(
        entity: table.decodeLeniently(record, as: E.self), before: record, inHand: inHand)
    case .unknown:
      guard let (_, record) = encode(entity, table) else { return nil }
      return Draft(entity: entity, before: record, inHand: nil)
    }
  }

  /// Takes what an update made of a draft.
  ///
  /// - Parameter shown: what the context shows now; the update itself may have edited the entity.
  /// - Returns: the entity after the change, and whether the layer changed.
  mutating func finish<E: Entity>(
    _ draft: Draft<E>, _ table: Table, _ key: RecordKey, shown: Shown
  ) -> (E, Bool) {
    let edited = draft.entity
    guard let (newKey, after) = encode(edited, table) else { return (edited, false) }
    guard newKey == key else {
      fatalError(
        "\(E.self) \(key): an update cannot change the key; delete it and insert another one")
    }
    var edit = Change(before: draft.before, after: after)
    switch shown {
    case .deleted: return (edited, false)
    case .record(let now):
      if now != draft.before {
        guard let rebased = edit.rebased(onto: now), let record = rebased.after else {
          return (table.decodeLeniently(now, as: E.self), false)
        }
        edit = Change(before: now, after: record)
      }
    case .unknown: break
    }
    if edit.isIdentity {
      // What an own save left is what the context remembers, not what the store must have: whether
      // the value in hand is older or newer, the writer will see.
      guard !followsCommits, layer[table.id, key] == nil, let inHand = draft.inHand, inHand != after
      else {
        return (edited, false)
      }
      edit = Change(before: inHand, after: after)
    }
    let old = layer[table.id, key]
    layer.compose(.known(edit), table.id, key)
    record(edit, over: old, table.id, key)
    return (edit.after.map { table.decodeLeniently($0, as: E.self) } ?? edited, true)
  }
}
