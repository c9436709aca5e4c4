// The levels of a live tree under the view context's edits.

extension [LevelRows] {
  /// Shows the current rows of some keys, edited or not.
  ///
  /// - Parameters:
  ///   - keys: the keys of each level.
  ///   - roots: the changes of the shown roots since the levels were laid.
  ///   - base: the committed rows.
  /// - Returns: the keys of the roots to which changed rows belong, before or after the change.
  mutating func show(
    _ keys: [Set<RecordKey>], under roots: [RowVersions], over base: [LevelRows],
    _ layers: ViewLayers
  ) -> Set<RecordKey> {
    var changes: [[RowVersions]] = []
    var affected: Set<RecordKey> = []
    for number in indices {
      let level = self[number].level
      self[number].takeHorizons(of: base[number])
      for (before, after) in level.parent.map({ changes[$0] }) ?? roots {
        self[number].follow(before, after)
      }
      var changed: [RowVersions] = []
      for key in keys[number] {
        let before = self[number].set(base[number].row(key, under: layers), for: key)
        let after = self[number].tree.record(of: key)
        if before != after { changed.append((before, after)) }
      }
      for (before, after) in changed {
        for row in [before, after] {
          if let row { affected.formUnion(self.roots(of: row, in: number)) }
        }
      }
      changes.append(changed)
    }
    return affected
  }
}

extension LevelRows {
  /// Returns the row that the level shows for a key, edits included; nil if it shows none.
  fileprivate func row(_ key: RecordKey, under layers: ViewLayers) -> Record? {
    let committed = tree.record(of: key)
    guard layers.edits(key, in: level.table.id) else { return committed }
    let stored = committed.map(RecordState.record) ?? .unknown
    let row = layers.state(of: key, in: level.table, or: stored).record
    return row.flatMap { level.matches($0) ? $0 : nil }
  }
}
