/// A row at one time, by its key and a hash of its values.
struct RowVersion: Sendable {
  /// The number of rows in a transaction.
  ///
  /// A save of the view context that comes in between waits no longer than for a batch of an
  /// import.
  static let batchSize = 500

  let key: RecordKey
  /// The hash of the row, which reveals a later change without keeping the row.
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
