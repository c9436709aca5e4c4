/// A layer below the edits of a scratch context.
struct PlainLevel {
  let layer: PlainLayer
  /// Whether the rows below may be newer than the layer's edits.
  var followsRows = true
}

extension [PlainLevel] {
  /// Returns the row that the layers show over the row that a child has read; nil if none edits it.
  func shown(_ table: PlainTable, _ key: Int, over read: PlainRow?) -> PlainRow?? {
    reduce(.none) { shown, level in
      switch level.layer.edits[table]?[key] {
      case nil: shown
      case .seen(_, let after) where !level.followsRows: .some(after)
      case let edit?: .some(edit.over(shown ?? read))
      }
    }
  }
}

extension PlainLayer {
  /// Returns the layer after a child has saved into its context.
  ///
  /// - Parameters:
  ///   - policy: the policy of the child's save.
  ///   - shown: the row that the context shows for a key over the row that the child has read; nil
  ///     if the context does not know it.
  ///   - linked: whether the context shows a link; nil if the context does not know it.
  /// - Returns: the layer, and whether the child's edits conflict with the shown rows.
  func absorbing(
    _ child: PlainLayer, _ policy: PlainPolicy, shown: (PlainTable, Int, PlainRow?) -> PlainRow??,
    linked: (PlainLink) -> Bool?
  ) -> (layer: PlainLayer, conflicts: Bool) {
    var result = self
    var conflicts = false
    for (table, edits) in child.edits {
      for (key, edit) in edits {
        guard let below = shown(table, key, edit.before) else {
          switch edit {
          case .set(let row): result.upsert(table, key, row)
          case .seen(let before, let after): result.edit(table, key, from: before, to: after)
          }
          continue
        }
        let row: PlainRow?
        switch edit {
        case .set(let wanted): row = wanted
        case .seen(let before, let after):
          let resolved = PlainRows.resolve(before, after, over: below, policy)
          if resolved.conflicts && policy == .error { conflicts = true }
          row = resolved.row
        }
        if row != below { result.edit(table, key, from: below, to: row) }
      }
    }
    for (link, isThere) in child.links where linked(link) != isThere {
      result.links[link] = isThere
    }
    return (result, conflicts)
  }
}
