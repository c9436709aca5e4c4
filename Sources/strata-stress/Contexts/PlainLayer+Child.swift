extension PlainLayer {
  /// Returns the layer after a child has saved into its context.
  ///
  /// - Parameters:
  ///   - policy: the policy of the child's save.
  ///   - shown: the row that the context shows for a key; nil if the context does not know it.
  ///   - linked: whether the context shows a link; nil if the context does not know it.
  /// - Returns: the layer, and whether the child's edits conflict with the shown rows.
  func absorbing(
    _ child: PlainLayer, _ policy: PlainPolicy, shown: (PlainTable, Int) -> PlainRow??,
    linked: (PlainLink) -> Bool?
  ) -> (layer: PlainLayer, conflicts: Bool) {
    var result = self
    var conflicts = false
    for (table, edits) in child.edits {
      for (key, edit) in edits {
        guard let below = shown(table, key) else {
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

  /// Returns the row that the layer makes of an unknown row; nil if it does not edit the row.
  func shown(_ table: PlainTable, _ key: Int) -> PlainRow?? {
    guard let edit = edits[table]?[key] else { return .none }
    return .some(edit.over(nil))
  }
}
