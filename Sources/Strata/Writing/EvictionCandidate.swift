/// A row that is to go, as it was when that was decided.
struct EvictionCandidate: Sendable {
  /// Rows a transaction: a save of the view context that comes in between waits no longer than for
  /// a batch of an import.
  static let batchSize = 500

  let key: RecordKey
  /// Tells whether the row has changed since, without keeping it.
  let hash: Int

  init(_ record: Record) {
    key = record.key(Table.keyColumn)
    hash = Self.hash(record)
  }

  init(key: RecordKey, hash: Int) {
    self.key = key
    self.hash = hash
  }

  func isUnchanged(_ record: Record) -> Bool { Self.hash(record) == hash }

  private static func hash(_ record: Record) -> Int {
    var hasher = Hasher()
    record.withBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
