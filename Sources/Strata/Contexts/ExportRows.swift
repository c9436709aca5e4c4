/// The rows of a query for an export, all of one commit.
///
/// Memory is bounded, however many rows there are. While this object exists, it holds its snapshot,
/// and the write-ahead log cannot be started again.
package final class ExportRows: Sendable {
  private let cursor: Cursor
  private let plan: QueryPlan

  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  package init<E: Entity>(_ query: Query<E>, of stack: Stack) async throws(StoreError) {
    let plan = try QueryPlan(query, stack.store.model)
    cursor = try await stack.store.reading { snapshot throws(StoreError) in
      try await Cursor(
        snapshot, plan.select(limit: plan.limit, offset: plan.offset), for: .export)
    }
    self.plan = plan
  }

  /// Hands the next rows to `body` on the reader's own thread, until `body` returns true.
  ///
  /// - Parameters:
  ///   - made: the value to which `body` adds the rows.
  ///   - body: adds a row to the value; returns true if the value is large enough.
  /// - Returns: the value with its rows; nil after the last row.
  package func next<Made: Sendable>(
    _ made: Made,
    _ body: @escaping @Sendable (inout Made, Record, ExportedRelations) throws(StoreError) -> Bool
  ) async throws(StoreError) -> Made? {
    try await cursor.rows(of: plan, made, body)
  }
}
