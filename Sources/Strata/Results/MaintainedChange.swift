/// The changes of a maintained result by one or more commits.
struct MaintainedChange: Sendable {
  var keys: ContiguousArray<RecordKey> = []
  /// The attributes that differ; nil once a changed row entered or left the result.
  var attributes: AttributeSet? = AttributeSet()

  var isEmpty: Bool { keys.isEmpty }

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
      attributes: attributes.flatMap { mine in next.attributes.map(mine.union) })
  }
}

extension MaintainedChange {
  /// Creates the difference between two versions of a result; nil if it is not worth listing.
  ///
  /// - Complexity: O(*n*), or less if it is not worth listing.
  init?(from old: ResultTree, to new: ResultTree) {
    for (key, before, after) in RowDifferences(from: old, to: new) {
      append(key, before, after)
      if keys.count > KeyBatches.limit { return nil }
    }
  }
}
