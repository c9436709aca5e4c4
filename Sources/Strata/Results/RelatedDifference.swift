/// The difference of what stands beside one root of a live tree in one branch.
struct RelatedDifference: Sendable {
  /// The root's offset in the new version.
  let offset: Int
  let branch: Int
  /// The difference of a list; nil for a single row or for values.
  let list: LiveDifference?
}

extension TreeRows {
  /// Returns the differences beside a root from an older version, branch by branch.
  ///
  /// - Complexity: O(*d* log *n*) for *d* rows that differ, and as for ``RunDifferences``.
  func differences(
    beside after: (record: Record, offset: Int), from old: TreeRows, beside before: Record
  ) -> [RelatedDifference] {
    branches.indices.compactMap { branch in
      let was = old.content(branch, beside: before)
      let new = content(branch, beside: after.record)
      guard new.differs(from: was) else { return nil }
      var list: LiveDifference?
      if case (.rows(let was), .rows(let new)) = (was, new) {
        list = LiveDifference(from: was, to: new, keys: Set(RunDifferences(from: was, to: new)))
      }
      return RelatedDifference(offset: after.offset, branch: branch, list: list)
    }
  }
}
