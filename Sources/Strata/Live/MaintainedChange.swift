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
