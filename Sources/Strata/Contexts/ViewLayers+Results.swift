// The rows that live results show for the keys of the view context's layers.

extension ViewLayers {
  /// Returns the store's row for a key at the context's commit, if it is in memory.
  ///
  /// - Parameter guess: a row of the key that may be the store's.
  func stored(
    _ key: RecordKey, in table: TableID, like guess: Record? = nil, _ results: some ShownResults
  ) -> RecordState {
    // No live query has the row of a followed key that is unknown.
    base.contains(key, in: table) ? base[table, key] : results.stored(key, in: table, like: guess)
  }

  /// Follows keys that are about to be edited.
  mutating func follow(_ keys: Set<RecordKey>, in table: TableID, _ results: some ShownResults) {
    let new = keys.filter { !base.contains($0, in: table) }
    let stored = results.stored(new, in: table)
    for key in new {
      follow(key, in: table, stored[key].map(RecordState.record) ?? .unknown)
    }
  }

  /// Returns the rows that live queries show for some keys, as far as their filters allow it.
  func shownRows(
    of keys: [TableID: Set<RecordKey>], _ results: some ShownResults
  ) -> [TableID: [RecordKey: RecordState]] {
    var rows: [TableID: [RecordKey: RecordState]] = [:]
    for (id, keys) in keys {
      let table = pending.model[id]
      for key in keys {
        rows[id, default: [:]][key] = state(of: key, in: table, or: stored(key, in: id, results))
      }
    }
    return rows
  }

  private func editedRows(
    _ keys: [TableID: Set<RecordKey>], before: [TableID: [RecordKey: RecordState]],
    _ results: some ShownResults
  ) -> [TableID: ShownEdits] {
    var edited: [TableID: ShownEdits] = [:]
    for (id, keys) in keys {
      let table = pending.model[id]
      for key in keys {
        edited[id, default: ShownEdits()].add(
          key, before: before[id]?[key],
          after: state(of: key, in: table, or: stored(key, in: id, results)))
      }
    }
    return edited
  }

  /// Lays the edits of some keys over the live results that they concern.
  ///
  /// - Parameter before: the rows that live queries showed before.
  func show<Results: ShownResults>(
    _ keys: [TableID: Set<RecordKey>], before: [TableID: [RecordKey: RecordState]],
    _ results: inout Results
  ) {
    let concerned = results.index.results(
      concernedBy: editedRows(keys, before: before, results))
    for (number, keys) in concerned { results.change(number) { $0.edit(keys, self) } }
  }

  /// Makes the first phase of a merge turn: rows below the layers, then results, then results under
  /// edits.
  ///
  /// - Parameters:
  ///   - updated: the numbers of the results that the turn has updates for.
  ///   - close: closes a live query whose result is not wanted any more.
  mutating func merge<Results: ShownResults>(
    _ turn: MergeTurn, updating updated: [Int], _ results: inout Results,
    close: (LiveID, Int) -> Void
  ) {
    var before = shownRows(of: keysToTouch(by: turn.changes, turn.completedSave), results)
    var touched = merge(turn.changes, completedSave: turn.completedSave, read: turn.stored)
    for number in updated {
      var unwanted: LiveID?
      results.change(number) { unwanted = $0.take(turn.updates) }
      if let unwanted { close(unwanted, number) }
    }
    for number in updated {
      for (table, rows) in results[number]?.committedRows ?? [] {
        for key in unknownKeys(in: rows, of: table) {
          if edits(key, in: table.id) {
            if before[table.id]?[key] == nil {
              before[table.id, default: [:]][key] = state(of: key, in: table, or: .unknown)
            }
            touched[table.id, default: []].insert(key)
          }
          learn(key, from: rows, of: table)
        }
      }
    }
    // An edit may show or hide a row, or the root of a relationship's query.
    var keys = results.index.results(concernedBy: editedRows(touched, before: before, results))
    for number in updated {
      let keys = keys.removeValue(forKey: number) ?? [:]
      results.change(number) { $0.lay(self, touched: keys) }
    }
    for (number, keys) in keys { results.change(number) { $0.lay(self, touched: keys) } }
  }
}
