/// The layers of a context and of its parents over one state of the store.
struct LayerStack: Sendable {
  struct Level {
    let layer: Layer
    /// Whether attributes that the layer does not edit follow the row below.
    ///
    /// A layer that does not follow shows the whole row as it was when it was edited.
    let followsRows: Bool
  }

  /// The levels from the lowest to the highest, without empty layers.
  private(set) var levels: [Level] = []

  var layers: [Layer] { levels.map(\.layer) }

  /// Returns the stack with a layer added on top.
  ///
  /// - Parameter followsRows: whether the rows under the layer may be newer than its edits.
  func adding(_ layer: Layer?, followsRows: Bool) -> LayerStack {
    guard let layer, !layer.isEmpty else { return self }
    var stack = self
    stack.levels.append(Level(layer: layer, followsRows: followsRows))
    return stack
  }

  /// Returns the state that the layers show for a row, given the state of the row below them.
  func state(of key: RecordKey, in table: Table, over row: RecordState) -> RecordState {
    levels.reduce(row) { row, level in
      let change = level.layer[table.id, key]
      if !level.followsRows, case .known(let change)? = change, row.isKnown, !table.isJoin {
        return RecordState(change.after)
      }
      return row.under(change, in: table)
    }
  }

  /// Returns the records that the layers show for some keys, given the stored records.
  func records(
    of keys: Set<RecordKey>, in table: Table, over stored: [RecordKey: Record]
  ) -> [RecordKey: Record] {
    var records = stored
    let isFewer = count(of: table.id) < keys.count
    for key in isFewer ? self.keys(of: table.id).intersection(keys) : keys
    where edits(key, in: table.id) {
      records[key] = state(of: key, in: table, over: RecordState(stored[key])).record
    }
    return records
  }

  /// Returns whether a layer has a change of a key.
  func edits(_ key: RecordKey, in table: TableID) -> Bool {
    levels.contains { $0.layer[table, key] != nil }
  }

  /// Returns whether a layer has changes of a table.
  func edits(_ table: TableID) -> Bool { levels.contains { $0.layer.tables[table] != nil } }

  /// Returns the keys of a table that the layers change. O(*n*) of the changes.
  func keys(of table: TableID) -> Set<RecordKey> {
    levels.reduce(into: []) { keys, level in
      if let changes = level.layer.tables[table] { keys.formUnion(changes.map(\.key)) }
    }
  }

  /// Returns an upper bound for the number of a table's keys that the layers change.
  ///
  /// A key counts once for each layer that changes it. O(1) for each layer.
  func count(of table: TableID) -> Int {
    levels.reduce(0) { $0 + ($1.layer.tables[table]?.count ?? 0) }
  }
}
