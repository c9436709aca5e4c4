extension Change {
  /// The record that the edit makes of another one: edited attributes have the edit's values, all
  /// others the other record's.
  ///
  /// An insertion, a deletion and an update of a row that does not exist result in ``after``.
  func applied(to record: Record?) -> Record? {
    guard let before, let after, let record, record != before else { return after }
    return record.replacing(after.differences(from: before), from: after)
  }

  /// The same edit made to another record: `rebase((b, a), from: b, to: t)`.
  ///
  /// Attribute by attribute: what the change did not edit takes the target's value; an edit that
  /// the target already has vanishes; any other edit keeps its value. A deletion deletes the
  /// target, an insertion sets all of its attributes.
  ///
  /// - Returns: the change from `target` to the edited target, or nil if nothing is left of it.
  ///   An update of a record that is gone stays an update of nothing: it keeps its own `before`.
  package func rebased(onto target: Record?) -> Change? {
    if isIdentity || target == nil && after == nil { return nil }
    guard let target else { return self }
    let result = Change(before: target, after: applied(to: target))
    return result.isIdentity ? nil : result
  }

  /// The attributes of an edit that somebody else changed to something else meanwhile.
  ///
  /// An attribute conflicts if it was edited, the store's value differs from its `before`, and
  /// differs from its `after`. Insertions and deletions edit every attribute.
  func conflicts(with stored: Record?, count: Int) -> AttributeSet {
    if stored == before || stored == after { return AttributeSet() }
    guard let before, let after, let stored else { return .all(count) }
    let edited = after.differences(from: before)
    return AttributeSet(
      edited.positions.filter {
        stored.differs(from: before, at: $0) && stored.differs(from: after, at: $0)
      })
  }
}

extension Record {
  /// Whether one cell differs.
  func differs(from other: Record, at column: Int) -> Bool {
    withView { mine in other.withView { !mine.equals(column, in: $0) } }
  }
}
