// Scratch contexts over the view context, whose saves land in its unsaved edits.

extension ViewContext {
  /// A scratch context over what this context shows now; its saves land in this context's unsaved
  /// edits.
  public func scratch() -> sending ScratchContext {
    ScratchContext(store, of: self, snapshot: snapshot, layers: layers.stack)
  }

  /// What a child context reads through.
  var base: (snapshot: Snapshot, layers: LayerStack) { (snapshot, layers.stack) }

  /// Takes a child's edits on top of this context's, rebased onto what it shows now.
  func absorb(
    _ layer: Layer, _ policy: SavePolicy
  ) async throws(StoreError) -> (commit: Int64, absorbed: [Edits.Absorbed]) {
    try await readRows(under: layer)
    if isClosed { throw .closed }
    let absorbed = try layers.pending.rebased(layer, by: policy) { table, key in
      layers.state(of: key, in: table, or: .unknown)
    }
    defer { tellStatus() }
    beginTurn()
    changing {
      for edit in absorbed where edit.change != nil {
        layers.pending.absorb(edit)
        didEdit(edit.key, in: edit.table)
      }
    }
    return (snapshot.commit, absorbed)
  }

  /// Makes the rows of a layer's keys known: from then on merges follow them.
  ///
  /// What was read is of the commit at which the reading began. A row that was committed meanwhile
  /// is known from that commit, and a row that was not is as it was read; a merge that has to read a
  /// table anew reads these rows, too.
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
          for key in keys where layers.isFollowed(key, in: id) {
            layers.learn(records[key], key, in: id)
          }
        }
      } catch {
        guard error.code == .suspended else { throw error }
        try await pinned()
      }
    }
  }
}
