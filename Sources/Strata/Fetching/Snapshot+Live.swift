internal import StrataSQLite

extension Snapshot {
  /// Returns the result of a live query as trees, built on the reader's executor.
  ///
  /// - Parameter limit: the maximum number of rows, from the first; nil for all rows.
  func tree(_ plan: LivePlan, limit: Int?) async throws(StoreError) -> ResultTree {
    if plan.query.isNever { return ResultTree([], order: plan.order) }
    return try await read(plan.query) { reader, connection throws(StoreError) in
      // Reading in table order and sorting records in memory is twice as fast as ORDER BY.
      let isSorted = limit != nil
      let query = try plan.query.narrowed(to: limit, connection, reader.model)
      let sql = query.select(limit: limit, offset: 0, isSorted: isSorted)
      let records = try reader.records(sql, plan, connection)
      return ResultTree(records, order: plan.order, isSorted: isSorted)
    }
  }

  /// Returns the next rows of a live query after a record, in the query's order.
  func rows(
    _ plan: LivePlan, after record: Record, count: Int
  ) async throws(StoreError) -> ContiguousArray<Record> {
    try await read(plan.query) { reader, connection throws(StoreError) in
      let sql = plan.query.select(limit: count, offset: 0, only: .after(record))
      return try reader.records(sql, plan, connection)
    }
  }

  /// Returns the keys that changes of the query's tables concern, and the query's rows with these
  /// keys.
  ///
  /// The result is nil if there are more than `most` keys.
  func rows(
    _ plan: LivePlan, affected: AffectedRows, most: Int
  ) async throws(StoreError) -> (keys: Set<RecordKey>, records: [RecordKey: Record])? {
    guard let dependencies = plan.dependencies else { return nil }
    return try await read(plan.query) { reader, connection throws(StoreError) in
      let roots = try connection.roots(of: affected, dependencies, reader.model, most: most)
      guard let keys = roots else { return nil }
      let sql = plan.query.select(
        limit: nil, offset: 0, isSorted: false, only: .keys(Set(keys.map(\.cell))))
      return (keys, Dictionary(byKey: try reader.records(sql, plan, connection)))
    }
  }

  /// Returns the keys of a query's rows that lead to affected rows.
  func roots(
    of affected: AffectedRows, _ dependencies: QueryDependencies
  ) async throws(StoreError) -> Set<RecordKey> {
    if affected.isEmpty { return [] }
    return try await read { reader, connection throws(StoreError) in
      try connection.roots(of: affected, dependencies, reader.model, most: .max) ?? []
    }
  }
}

extension Reader {
  /// Returns the rows of a statement in the form that the trees of a live query have.
  fileprivate func records(
    _ sql: SQLBuilder, _ plan: LivePlan, _ connection: Connection
  ) throws(StoreError) -> ContiguousArray<Record> {
    var records = try builder.records(
      try connection.prepared(sql, model), of: plan.table, width: plan.query.width)
    if plan.isComputed {
      for index in records.indices { records[index] = try plan.extended(records[index]) }
    }
    return records
  }
}

extension Connection {
  fileprivate func roots(
    of affected: AffectedRows, _ dependencies: QueryDependencies, _ model: Model, most: Int
  ) throws(StoreError) -> Set<RecordKey>? {
    try dependencies.roots(of: affected, most: most) { sql throws(StoreError) in
      try keys(sql, model)
    }
  }

  /// Returns the first column of a statement's rows, without null values.
  fileprivate func keys(_ sql: SQLBuilder, _ model: Model) throws(StoreError) -> [RecordKey] {
    var keys: [RecordKey] = []
    try prepared(sql, model).forEach { row in
      if !row.isNull(0) { keys.append(RecordKey(row, 0)) }
    }
    return keys
  }
}
