extension Change {
  /// Returns the attributes of the edit that conflict with the stored record.
  ///
  /// An attribute conflicts if it was edited, and the store's value differs from its `before` and
  /// from its `after`. Insertions and deletions edit every attribute. An update of a row that does
  /// not exist conflicts in every attribute.
  ///
  /// - Parameter saved: the row that an own save wrote over `before`. The store may have either of
  ///   the two rows; the attributes of any other row are compared with this row.
  func conflicts(with stored: Record?, saved: Record? = nil, count: Int) -> AttributeSet {
    if stored == before || stored == after || saved != nil && stored == saved {
      return AttributeSet()
    }
    guard let before, let after, let stored else { return .all(count) }
    let base = saved ?? before
    return after.differences(from: before)
      .intersection(base.differences(from: stored))
      .intersection(after.differences(from: stored))
  }
}

extension Table {
  func conflict(_ meeting: Meeting, key: RecordKey) -> Conflict {
    Conflict(
      table: self, key: key,
      attributes: meeting.conflicting.positions.map { columns[$0].name },
      before: meeting.change.before, mine: meeting.change.after, theirs: meeting.stored)
  }
}
