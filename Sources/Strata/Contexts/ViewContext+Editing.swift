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

  /// Edits all of some entities, and shows the edits together.
  func editTogether<E: Entity>(_ entities: [E], _ edit: (E) -> Void) {
    if together != nil { return entities.forEach(edit) }
    follow(
      Set(entities.compactMap { $0.id.recordKey }), in: store.model.table(of: E.self).id)
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
    changing {
      for (_, result, keys) in results.results(concernedBy: editedRows(keys, before: before)) {
        result.edit(keys, layers)
      }
    }
  }

  func editedRows(
    _ keys: [TableID: Set<RecordKey>], before: [TableID: [RecordKey: RecordState]]
  ) -> [TableID: OpenResults.EditedRows] {
    var edited: [TableID: OpenResults.EditedRows] = [:]
    for (id, keys) in keys {
      let table = store.model[id]
      for key in keys {
        edited[id, default: OpenResults.EditedRows()].add(
          key, before: before[id]?[key],
          after: layers.state(of: key, in: table, or: stored(table, key)))
      }
    }
    return edited
  }

  // MARK: - Rows in memory

  /// Returns the store's row for a key at the context's commit, if it is in memory.
  ///
  /// - Parameter guess: a row of the key that may be the store's.
  func stored(_ table: Table, _ key: RecordKey, like guess: Record? = nil) -> RecordState {
    // No live query has the row of a followed key that is unknown.
    layers.base.contains(key, in: table.id)
      ? layers.base[table.id, key] : results.stored(key, in: table.id, like: guess)
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
    var rows: [TableID: [RecordKey: RecordState]] = [:]
    for (id, keys) in keys {
      let table = store.model[id]
      for key in keys {
        rows[id, default: [:]][key] = layers.state(of: key, in: table, or: stored(table, key))
      }
    }
    return rows
  }

  /// Follows a key that is about to be edited, and returns the row that live queries show for it.
  func follow(_ key: RecordKey, in table: Table, like inHand: Record?) -> RecordState {
    layers.follow(key, in: table.id, stored(table, key, like: inHand))
    return layers.state(of: key, in: table, or: .unknown)
  }

  /// Follows keys that are about to be edited.
  private func follow(_ keys: Set<RecordKey>, in table: TableID) {
    let new = keys.filter { !layers.base.contains($0, in: table) }
    let stored = results.stored(new, in: table)
    for key in new {
      layers.follow(key, in: table, stored[key].map(RecordState.record) ?? .unknown)
    }
  }
}
