extension Change {
  /// The same edit made to another record: `rebase((b, a), from: b, to: t)`.
  ///
  /// Attribute by attribute: what the change did not edit takes the target's value; an edit that
  /// the target already has vanishes; any other edit keeps its value. A deletion deletes the
  /// target, an insertion sets all of its attributes.
  ///
  /// - Returns: the change from `target` to the edited target, or nil if nothing is left of it.
  ///   An update of a record that is gone stays an update of nothing: it keeps its own `before`.
  package func rebased(onto target: Record?) -> Change? {
    guard let edited = onTop(of: target) else { return nil }
    if before != nil && after != nil && target == nil { return edited }
    return Change(before: target, after: edited.after)
  }

  /// The same edit as a context keeps it while the store moves on underneath.
  ///
  /// Like ``rebased(onto:)``, but an attribute that is still edited keeps its first `before`,
  /// until it is saved, reverted or resolved: a conflict then does not depend on when the other
  /// commit arrived.
  func onTop(of target: Record?) -> Change? {
    switch (before, after, target) {
    case (nil, nil, _): return nil
    case (nil, let after?, let target?): return after == target ? nil : self
    case (nil, _?, nil): return self
    case (_?, nil, nil): return nil
    case (_?, nil, _?): return self
    case (let before?, let after?, nil): return before == after ? nil : self
    case (let before?, let after?, let target?):
      if before == target { return before == after ? nil : self }
      var kept = after.differences(from: before)
      kept = AttributeSet(kept.positions.filter { after.differs(from: target, at: $0) })
      if kept.isEmpty { return nil }
      return Change(
        before: target.replacing(kept, from: before), after: target.replacing(kept, from: after))
    }
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
