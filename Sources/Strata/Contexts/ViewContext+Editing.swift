// The edits of the view context, and the live results that show them.

extension ViewContext {
  // MARK: - Edits

  /// Makes one edit of a key, shows it and reports it.
  ///
  /// - Parameters:
  ///   - entity: the table and the key; nil for a link, and for an entity whose key cannot be stored.
  ///   - inHand: the value in hand; nil if there is none.
  ///   - body: makes the edit of the row that live queries show; returns nil if it changed nothing.
  func edit(
    _ entity: (Table, RecordKey)?, like inHand: Record? = nil,
    _ body: (inout Edits, RecordState) -> (Table, RecordKey)?
  ) {
    defer { reportStatus() }
    beginTurn()
    let before = entity.map { follow($1, in: $0, like: inHand) } ?? .unknown
    guard let (table, key) = body(&layers.pending, before) else { return }
    if entity == nil { layers.follow(key, in: table.id, .unknown) }
    didEdit(key, in: table, before)
  }

  /// Shows an edit, and schedules the end of the turn's undo group.
  ///
  /// - Parameter before: the row that live queries showed before.
  func didEdit(_ key: RecordKey, in table: Table, _ before: RecordState) {
    layers.didEdit(key, in: table)
    if together == nil {
      showEdit(of: key, in: table, before)
    } else if together?[table.id]?[key] == nil {
      together?[table.id, default: [:]][key] = before
    }
    endUndoEventWithTurn()
  }

  /// Edits all of some entities in one turn, and shows the edits together.
  func editTogether<E: Entity>(_ entities: [E], _ edit: (E) -> Void) {
    if together != nil { return entities.forEach(edit) }
    layers.follow(
      Set(entities.compactMap { $0.id.recordKey }), in: store.model.table(of: E.self).id, results)
    together = [:]
    entities.forEach(edit)
    let before = together ?? [:]
    together = nil
    showEdits(of: before.mapValues { Set($0.keys) }, before: before)
  }

  /// Lays an edit over the live results that it concerns.
  func showEdit(of key: RecordKey, in table: Table, _ before: RecordState) {
    showEdits(of: [table.id: [key]], before: [table.id: [key: before]])
  }

  /// Shows the edits of some keys, and reports them as one change.
  ///
  /// - Parameter before: the rows that live queries showed before.
  func showEdits(
    of keys: [TableID: Set<RecordKey>], before: [TableID: [RecordKey: RecordState]]
  ) {
    var results = results
    changing { layers.show(keys, before: before, &results) }
  }

  // MARK: - Rows in memory

  /// Returns the store's row for a key at the context's commit, if it is in memory.
  ///
  /// - Parameter guess: a row of the key that may be the store's.
  func stored(_ table: Table, _ key: RecordKey, like guess: Record? = nil) -> RecordState {
    layers.stored(key, in: table.id, like: guess, results)
  }

  /// Returns the row to which an edit applies: the edits over the value in hand, or over the row in memory
  /// if there is none.
  func shown(_ key: RecordKey, in table: Table, or inHand: Record?) -> RecordState {
    guard let inHand else {
      return layers.state(of: key, in: table, or: stored(table, key))
    }
    return layers.state(of: key, in: table, inHand: inHand)
  }

  /// Returns the rows that live queries show for some keys, as far as their filters allow it.
  func shownRows(of keys: [TableID: Set<RecordKey>]) -> [TableID: [RecordKey: RecordState]] {
    layers.shownRows(of: keys, results)
  }

  /// Follows a key that is about to be edited, and returns the row that live queries show for it.
  func follow(_ key: RecordKey, in table: Table, like inHand: Record?) -> RecordState {
    layers.follow(key, in: table.id, stored(table, key, like: inHand))
    return layers.state(of: key, in: table, or: .unknown)
  }
}
