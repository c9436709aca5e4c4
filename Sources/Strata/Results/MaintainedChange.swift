/// The changes of a maintained result by one or more commits.
struct MaintainedChange: Sendable {
  var keys: ContiguousArray<RecordKey> = []
  /// The attributes that differ; nil once a changed row entered or left the result.
  var attributes: AttributeSet? = AttributeSet()
  /// The keys of the changed rows of each level of a live tree; empty if no level has changed.
  var levels: [ContiguousArray<RecordKey>] = []

  var isEmpty: Bool { keys.isEmpty && levels.allSatisfy(\.isEmpty) }

  mutating func append(_ key: RecordKey, _ before: Record?, _ after: Record?) {
    keys.append(key)
    if let before, let after {
      attributes?.formUnion(after.differences(from: before))
    } else {
      attributes = nil
    }
  }

  func followed(by next: MaintainedChange) -> MaintainedChange {
    MaintainedChange(
      keys: keys + next.keys,
      attributes: attributes.flatMap { mine in next.attributes.map(mine.union) },
      levels: levels.isEmpty || next.levels.isEmpty
        ? levels + next.levels : zip(levels, next.levels).map { $0 + $1 })
  }
}

extension MaintainedChange {
  /// Creates the difference between two versions of a result; nil if it is not worth listing.
  ///
  /// Those of a live tree are not compared.
  ///
  /// - Complexity: O(*n*), or less if it is not worth listing.
  init?(from old: MaintainedResult, to new: MaintainedResult) {
    if !new.levels.isEmpty { return nil }
    for (key, before, after) in RowDifferences(from: old.tree, to: new.tree) {
      append(key, before, after)
      if keys.count > KeyBatches.limit { return nil }
    }
  }
}
