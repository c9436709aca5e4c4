internal import StrataSQLite

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

/// What rows on their way out refer to, and what refers to them, as of the same commit.
package struct ExportedRelations {
  let connection: Connection
  let builder: RecordBuilder

  /// The record with a key; nil if there is none.
  package func record(_ key: RecordKey, of table: Table) throws(StoreError) -> Record? {
    try connection.record(key, of: table, builder)
  }

  /// The records whose column refers to a key, in the order of their own keys.
  package func records(
    of table: Table, referringTo key: RecordKey, in column: Int
  ) throws(StoreError) -> [Record] {
    let statement = try translatingErrors { () throws(SQLiteError) in
      try connection.statement(for: table.sql.selectByReference(column))
    }
    key.bind(to: statement, at: 1)
    return try builder.records(statement, of: table).sorted {
      $0.key(Table.keyColumn) < $1.key(Table.keyColumn)
    }
  }
}

extension Table {
  /// The error for a value of a record that cannot be written as its mapping would read it.
  package func unwritable(_ error: ValueError, _ column: Int, of record: Record) -> StoreError {
    let key = record.key(Self.keyColumn)
    return StoreError(
      .invalidValue, "\(attributeName(column)) of \(key) cannot be written: \(error.message)",
      advice: "map the attribute by a conversion that reads what it stores", entity: entity,
      attributes: [columns[column].name], keys: [key])
  }
}
