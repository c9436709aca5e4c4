extension Layer {
  /// A layer that could not be saved and what was edited on top of it meanwhile, as one.
  func joined(with upper: Layer) -> Layer {
    var joined = self
    for (table, changes) in upper.tables {
      for (key, change) in changes {
        if let low = self[table, key] {
          joined[table, key] = low.joined(with: change)
        } else {
          joined[table, key] = change
        }
      }
    }
    return joined
  }
}

extension LayerChange {
  /// A lower layer's change and an upper layer's change of the same key, as one.
  ///
  /// Unlike composition this takes changes that were rebased apart: an attribute that only the
  /// upper one edits keeps the upper one's first `before`.
  func joined(with upper: LayerChange) -> LayerChange? {
    guard case .known(let low) = self, case .known(let high) = upper else {
      return composed(with: upper)
    }
    let before: Record?
    if let first = low.before, let middle = low.after, let second = high.before,
      let last = high.after
    {
      let onlyAbove = AttributeSet(
        last.differences(from: second).positions.filter {
          !middle.differs(from: first, at: $0)
        })
      before = first.replacing(onlyAbove, from: second)
    } else {
      before = low.before
    }
    return LayerChange.known(Change(before: before, after: high.after)).normalized
  }

  /// Nil for an identity, which no layer holds.
  var normalized: LayerChange? {
    if case .known(let change) = self, change.isIdentity { return nil }
    return self
  }
}
