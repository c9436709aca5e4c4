internal import StrataSQLite

extension Snapshot {
  /// Returns whether a query has any row.
  func exists(_ plan: QueryPlan) async throws(StoreError) -> Bool {
    if plan.isNever { return false }
    return try await read(plan) { reader, connection throws(StoreError) in
      try reader.prepared(plan.exists(), of: plan.table, connection).firstInteger() ?? 0 != 0
    }
  }

  /// Returns the rows of a query's statement as values.
  ///
  /// - Parameter columns: the columns of the query's table that the rows have.
  func rows<Value: Sendable>(
    _ plan: QueryPlan, _ columns: [Int], _ values: RowReader<Value>,
    _ sql: @escaping @Sendable (QueryPlan) -> SQLBuilder
  ) async throws(StoreError) -> [Value] {
    try await read(plan) { reader, connection throws(StoreError) in
      let near = try plan.narrowed(to: plan.reach, connection, reader.model)
      let statement = try reader.prepared(sql(near), of: plan.table, connection)
      defer { statement.reset() }
      return try ValueRows(statement, plan.table, columns, values).all()
    }
  }
}
