internal import StrataSQLite

extension Transaction {
  /// Sets attributes of every row of a query, by the rules of a save.
  ///
  /// - Returns: the number of rows of the query.
  mutating func update(
    _ plan: QueryPlan, _ assignments: ResolvedAssignments
  ) throws(StoreError) -> Int {
    if plan.isNever { return 0 }
    let table = plan.table
    let rows = try records(of: plan)
    var updates = WorkingSet.Rows()
    updates.reserve(rows.count)
    for row in rows {
      let key = row.key(Table.keyColumn)
      do throws(CodingFailure) {
        updates.append(.init(key: key, before: row, after: try assignments.applied(to: row)))
      } catch {
        throw table.error(error, key: key)
      }
    }
    var working = WorkingSet()
    working.tables[table.id] = updates
    try applyRules(to: &working)
    try write(&working)
    return rows.count
  }

  /// Reads the rows of a query without the cells that only sort them.
  private func records(of plan: QueryPlan) throws(StoreError) -> [Record] {
    let rows = try store.builder.records(
      plan, limit: plan.limit, offset: plan.offset, connection, model)
    let columns = plan.table.columns.count
    // Several links may lead to one row.
    var known: Set<RecordKey> = []
    let isDistinct = plan.links == nil
    return rows.compactMap { row in
      isDistinct || known.insert(row.key(Table.keyColumn)).inserted ? row.prefix(columns) : nil
    }
  }
}
