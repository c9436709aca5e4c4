/// The rows of a query on their way out of the store, all of one commit: memory is bounded however
/// many there are.
///
/// As long as it is held, so is its snapshot, and the write-ahead log cannot be started again.
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

  /// Hands the next rows to `body`, on the reader's own thread, until it says that it has enough.
  ///
  /// - Parameter body: adds a row to what it makes of them; true for enough.
  /// - Returns: what was made; nil if there was no row any more.
  package func next<Made: Sendable>(
    _ made: Made,
    _ body: @escaping @Sendable (inout Made, Record, ExportedRelations) throws(StoreError) -> Bool
  ) async throws(StoreError) -> Made? {
    try await cursor.rows(of: plan, made, body)
  }
}
