internal import StrataSQLite

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

extension Snapshot {
  /// Returns the keys and the hashes of a query's rows, each once, without keeping the rows.
  ///
  /// - Parameter isSorted: whether the rows are in the query's order. The rows of a query with a
  ///   limit or an offset always are.
  func versions(
    of plan: QueryPlan, isSorted: Bool = true
  ) async throws(StoreError) -> [RowVersion] {
    if plan.isNever { return [] }
    let isCut = plan.limit != nil || plan.offset > 0
    return try await read(plan) { reader, connection throws(StoreError) in
      let near = try plan.narrowed(to: plan.reach, connection, reader.model)
      let sql = near.select(
        limit: plan.limit, offset: plan.offset, isSorted: isSorted || isCut)
      let rows = try connection.prepared(sql, reader.model)
      let versions = try rows.map { row throws(StoreError) in
        RowVersion(try reader.builder.record(row, of: plan.table))
      }
      if plan.links == nil { return versions }
      // Several links may lead to one row.
      var known: Set<RecordKey> = []
      return versions.filter { known.insert($0.key).inserted }
    }
  }
}
