// Scratch contexts over the view context, whose saves become its unsaved edits.

extension ViewContext {
  /// Creates a scratch context over the state that this context shows; its saves become unsaved
  /// edits of this context.
  public func makeScratch() -> sending ScratchContext {
    ScratchContext(store, .view(self, layers: layers.stack), ReadState(snapshot))
  }

  /// The snapshot and the layers that a child context reads.
  var base: (snapshot: Snapshot, layers: LayerStack) { (snapshot, layers.stack) }

  /// Puts a child's edits on top of this context's edits, rebased onto the rows that it shows.
  func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) async throws(StoreError) -> [Edits.Absorbed] {
    try await readRows(under: layer)
    if isClosed { throw .closed }
    if isLarge(layer.count) {
      beginTurn()
      let absorbed = try await changeElsewhere { version throws(StoreError) in
        try version.absorb(layer, policy)
      }
      endUndoEventWithTurn()
      return absorbed
    }
    defer { reportStatus() }
    beginTurn()
    let absorbed = try layers.rebased(layer, by: policy)
    let before = layers.absorb(absorbed)
    showEdits(of: before.mapValues { Set($0.keys) }, before: before)
    endUndoEventWithTurn()
    return absorbed
  }

  /// Makes the rows of a layer's keys known; from then on merges follow them.
  ///
  /// The records are of the commit at which the read began. If a commit meanwhile touched a row,
  /// the merge has made the row known, and that row counts. Otherwise the row is still as it was
  /// read. A merge that reads a whole table again reads these rows, too.
  private func readRows(under layer: Layer) async throws(StoreError) {
    while true {
      if isClosed { throw .closed }
      var keys: [TableID: [RecordKey]] = [:]
      for (id, changes) in layer.tables {
        let table = store.model[id]
        for (key, _) in changes where !layers.base[id, key].isKnown {
          layers.follow(key, in: id, stored(table, key))
          if !layers.base[id, key].isKnown { keys[id, default: []].append(key) }
        }
      }
      if keys.isEmpty { return }
      let snapshot = snapshot
      do throws(StoreError) {
        for (id, keys) in keys {
          let records = try await snapshot.records(store.model[id], keys: keys)
          for key in keys { layers.learn(records[key], key, in: id) }
        }
      } catch {
        guard error.code == .suspended else { throw error }
        try await pinned()
      }
    }
  }
}

extension ContextVersion {
  fileprivate mutating func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) throws(StoreError) -> [Edits.Absorbed] {
    let absorbed = try layers.rebased(layer, by: policy)
    let before = layers.absorb(absorbed)
    layers.show(before.mapValues { Set($0.keys) }, before: before, &results)
    return absorbed
  }
}

extension ViewLayers {
  /// Rebases a child's layer onto the rows that the context shows.
  fileprivate func rebased(
    _ layer: Layer, by policy: SavePolicy
  ) throws(StoreError) -> [Edits.Absorbed] {
    try pending.rebased(layer, by: policy) { table, key, _ in
      state(of: key, in: table, or: .unknown)
    }
  }

  /// Puts a child's edits on top of the context's edits.
  ///
  /// - Returns: the rows that were shown before.
  fileprivate mutating func absorb(
    _ absorbed: [Edits.Absorbed]
  ) -> [TableID: [RecordKey: RecordState]] {
    var before: [TableID: [RecordKey: RecordState]] = [:]
    for edit in absorbed where edit.change != nil {
      before[edit.table.id, default: [:]][edit.key] = edit.shown
      pending.absorb(edit)
      didEdit(edit.key, in: edit.table)
    }
    return before
  }
}
