/// What commits changed in a maintained result.
struct MaintainedChange: Sendable {
  var keys: ContiguousArray<RecordKey> = []
  /// The attributes that differ, as long as every changed row stayed in the result.
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
  /// What differs between two versions of a result; nil if that is not worth listing.
  ///
  /// - Complexity: O(*n*), less if it is not.
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

  /// By key; whatever is there comes before nothing.
  private static func compare(_ a: Record?, _ b: Record?) -> Int {
    guard let a else { return 1 }
    guard let b else { return -1 }
    return RecordOrder.byKey.compare(a, b)
  }
}
