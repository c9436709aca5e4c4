internal import StrataSQLite

// Fetches and counts of rows, read through a snapshot.

extension Snapshot {
  /// Returns the entities of a query, decoded from the rows without building records.
  func fetch<E: Entity>(_ plan: QueryPlan, _: E.Type) async throws(StoreError) -> [E] {
    if plan.isNever { return [] }
    return try await read(plan) { reader, connection throws(StoreError) in
      let near = try plan.narrowed(to: plan.reach, connection, reader.model)
      let sql = near.select(limit: plan.limit, offset: plan.offset)
      let statement = try reader.prepared(sql, of: plan.table, connection)
      defer { statement.reset() }
      return try EntityRows<E>(statement, plan.table).all()
    }
  }

  /// Returns the number of rows of a query.
  func count(_ plan: QueryPlan) async throws(StoreError) -> Int {
    if plan.isNever { return 0 }
    // SQLite counts the rows of a table in one instruction, so such a read would never be stopped
    // as long.
    let isWholeTable = plan.filter == nil && plan.links == nil && plan.reach == nil
    return try await read(plan, isShort: !isWholeTable) { reader, connection throws(StoreError) in
      Int(try reader.prepared(plan.count(), of: plan.table, connection).firstInteger() ?? 0)
    }
  }

  /// Returns the number of rows of a query without limit and offset, or `limit` if there are more.
  func count(_ plan: QueryPlan, upTo limit: Int?) async throws(StoreError) -> Int {
    guard let limit else { return try await count(plan) }
    return try await read(plan) { reader, connection throws(StoreError) in
      let statement = try connection.prepared(plan.count(upTo: limit), reader.model)
      return Int(try statement.firstInteger() ?? 0)
    }
  }

  /// Returns at most `limit` records of a query after `offset` records, without the query's own limit
  /// and offset.
  ///
  /// - Parameter isSorted: whether the records are in the query's order.
  func records(
    _ plan: QueryPlan, limit: Int?, offset: Int = 0, isSorted: Bool
  ) async throws(StoreError) -> ContiguousArray<Record> {
    if plan.isNever { return [] }
    return try await read(plan) { reader, connection throws(StoreError) in
      try reader.builder.records(
        plan, limit: limit, offset: offset, isSorted: isSorted, connection, reader.model)
    }
  }

  /// Returns the records with the given keys.
  func records(
    _ table: Table, keys: some Collection<RecordKey>
  ) async throws(StoreError) -> [RecordKey: Record] {
    Dictionary(byKey: try await records(table, referring: keys, in: Table.keyColumn))
  }

  /// Returns the records that have one of the keys in a column, all read by one statement.
  func records(
    _ table: Table, referring keys: some Collection<RecordKey>, in column: Int
  ) async throws(StoreError) -> ContiguousArray<Record> {
    if keys.isEmpty { return [] }
    let name = "t0.\(table.columns[column].name.quotedIdentifier)"
    let attribute = ResolvedAttribute(join: 0, column: column, name: name)
    let plan = QueryPlan(table, .isIn(.attribute(attribute), Set(keys.map(\.cell))))
    return try await read { reader, connection throws(StoreError) in
      let sql = plan.select(limit: nil, offset: 0, isSorted: false)
      return try reader.builder.records(try connection.prepared(sql, reader.model), of: table)
    }
  }

  /// Returns the entities with the given keys in the given order; missing entities are left out.
  func fetch<E: Entity>(
    _ table: Table, keys: [RecordKey], _: E.Type
  ) async throws(StoreError) -> [E] {
    try await read { reader, connection throws(StoreError) in
      if keys.count == 1 { reader.noteFinding(keys[0], in: table) }
      return try EntityLookUp<E>(connection, table).entities(keys)
    }
  }
}

extension RecordBuilder {
  /// Returns the records of a query with all of its cells, after `offset` rows, at most `limit`.
  ///
  /// - Parameter isSorted: whether the records are in the query's order.
  func records(
    _ plan: QueryPlan, limit: Int?, offset: Int, isSorted: Bool = true, _ connection: Connection,
    _ model: Model
  ) throws(StoreError) -> ContiguousArray<Record> {
    let near = try plan.narrowed(to: limit.map { $0 + offset }, connection, model)
    let sql = near.select(limit: limit, offset: offset, isSorted: isSorted)
    return try records(
      try connection.prepared(sql, model), of: plan.table, width: plan.width)
  }
}

extension Connection {
  /// Returns the cached statement for a query's text, with its parameters bound.
  func prepared(_ sql: SQLBuilder, _ model: Model) throws(StoreError) -> Statement {
    let statement = try prepared(model.sql(sql.text))
    statement.bind(sql.parameters)
    return statement
  }
}
