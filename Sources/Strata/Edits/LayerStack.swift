/// The layers of a context and of its parents over one state of the store.
struct LayerStack: Sendable {
  private struct Level {
    let layer: Layer
    /// Whether attributes that the layer does not edit are those of the row below. A layer that does
    /// not follow shows the whole row as it was when it was edited.
    let followsRows: Bool
  }

  /// The lowest layer first; without empty layers.
  private var levels: [Level] = []

  var layers: [Layer] { levels.map(\.layer) }

  /// The stack with another layer on top.
  ///
  /// - Parameter followsRows: whether the rows under the layer may be newer than its edits.
  func adding(_ layer: Layer, followsRows: Bool) -> LayerStack {
    if layer.isEmpty { return self }
    var stack = self
    stack.levels.append(Level(layer: layer, followsRows: followsRows))
    return stack
  }

  /// What the layers show of a row, over what is known of the row below them.
  func state(of key: RecordKey, in table: Table, over row: RecordState) -> RecordState {
    levels.reduce(row) { row, level in
      let change = level.layer[table.id, key]
      if !level.followsRows, case .known(let change)? = change, row.isKnown, !table.isJoin {
        return RecordState(change.after)
      }
      return row.under(change, in: table)
    }
  }

  /// Whether a layer has a change of a key.
  func edits(_ key: RecordKey, in table: TableID) -> Bool {
    levels.contains { $0.layer[table, key] != nil }
  }

  /// Whether a layer has changes of a table.
  func edits(_ table: TableID) -> Bool { levels.contains { $0.layer.tables[table] != nil } }

  /// The keys of a table that a layer has changes of. O(*n*) of the changes.
  func keys(of table: TableID) -> Set<RecordKey> {
    levels.reduce(into: []) { keys, level in
      if let changes = level.layer.tables[table] { keys.formUnion(changes.map(\.key)) }
    }
  }

  /// The most keys of a table that the layers have changes of. O(1) a layer.
  func count(of table: TableID) -> Int {
    levels.reduce(0) { $0 + ($1.layer.tables[table]?.count ?? 0) }
  }
}
