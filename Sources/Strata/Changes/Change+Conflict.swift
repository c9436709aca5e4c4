extension Table {
  func conflict(
    _ change: Change, key: RecordKey, stored: Record?, attributes: AttributeSet
  ) -> Conflict {
    Conflict(
      table: self, key: key, attributes: attributes.positions.map { columns[$0].name },
      before: change.before, mine: change.after, theirs: stored)
  }
}
