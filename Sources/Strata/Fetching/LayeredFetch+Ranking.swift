extension LayeredFetch {
  /// Returns rows with the cell that ranks them: the relevance that the store has, or the distance.
  func ranked(_ rows: [Record], _ plan: QueryPlan) async throws(StoreError) -> [Record] {
    var stored: [RecordKey: Record] = [:]
    if case .relevance? = plan.ranking {
      let keys = Set(rows.map { $0.key(Table.keyColumn) })
      stored = try await snapshot.records(plan, only: keys)
    }
    return rows.map { plan.row($0, like: stored[$0.key(Table.keyColumn)]) }
  }
}

extension Snapshot {
  /// Returns the query's rows that have one of the keys.
  func records(
    _ plan: QueryPlan, only keys: Set<RecordKey>
  ) async throws(StoreError) -> [RecordKey: Record] {
    if keys.isEmpty { return [:] }
    return try await read { reader, connection throws(StoreError) in
      let sql = plan.select(
        limit: nil, offset: 0, isSorted: false, only: .keys(Set(keys.map(\.cell))))
      let statement = try connection.prepared(sql, reader.model)
      return Dictionary(
        byKey: try reader.builder.records(statement, of: plan.table, width: plan.width))
    }
  }
}
