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
    var (before, after) = (old.inKeyOrder, new.inKeyOrder)
    var (left, right) = (before.next(), after.next())
    while left != nil || right != nil {
      if keys.count > KeyBatches.limit { return nil }
      let order = Self.compare(left, right)
      if let key = (order <= 0 ? left : right)?.key(Table.keyColumn) {
        let (old, new) = (order <= 0 ? left : nil, order >= 0 ? right : nil)
        if old != new { append(key, old, new) }
      }
      if order <= 0 { left = before.next() }
      if order >= 0 { right = after.next() }
    }
  }

  /// Compares two records by key; a record comes before nil.
  private static func compare(_ a: Record?, _ b: Record?) -> Int {
    guard let a else { return 1 }
    guard let b else { return -1 }
    return RecordOrder.byKey.compare(a, b)
  }
}
