internal import StrataSQLite

extension Snapshot {
  /// Whether a query has any row.
  func exists(_ plan: QueryPlan) async throws(StoreError) -> Bool {
    try await read { reader, connection throws(StoreError) in
      let statement = try reader.prepared(plan.exists(), of: plan.table, connection)
      defer { statement.reset() }
      let hasRow = try translatingErrors { () throws(SQLiteError) in try statement.step() }
      return hasRow && statement.integer(0) != 0
    }
  }

  /// The rows of a statement whose columns are some of a table's.
  func rows<Value: Sendable>(
    _ sql: SQLBuilder, _ table: Table, _ columns: [Int],
    _ values: RowReader<Value>
  ) async throws(StoreError) -> [Value] {
    try await read { reader, connection throws(StoreError) in
      let statement = try reader.prepared(sql, of: table, connection)
      defer { statement.reset() }
      return try ValueRows(statement, table, columns, values).all()
    }
  }
}
