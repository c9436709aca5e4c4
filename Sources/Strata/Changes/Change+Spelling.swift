extension Change {
  /// Returns the change in the spelling of the stored row.
  ///
  /// Without it, an edit of a value that is spelt otherwise in the store would be a conflict without a second edit.
  func respelled(like stored: Record, in table: Table) -> Change {
    if before == stored { return self }
    let start = before.map { table.respelled($0, like: stored, seesDefaults: true) }
    let end = after.map { after in
      guard let before, let start else { return table.respelled(after, like: stored) }
      let unedited = start.differences(from: before).subtracting(after.differences(from: before))
      return table.respelled(after.replacing(unedited, from: start), like: stored)
    }
    return Change(before: start, after: end)
  }
}
