// Parts of rows and values made of rows: by SQL, corrected where unsaved edits matter.

extension LayeredFetch {
  /// Returns whether a query has any entity.
  func exists<E: Entity>(_ query: Query<E>) async throws(StoreError) -> Bool {
    let plan = try QueryPlan(query, model)
    if !touches(plan) { return try await snapshot.exists(plan) }
    return try await count(try QueryPlan(query.limit(1), model)) > 0
  }

  /// Returns some columns of a query's rows.
  func rows<E: Entity, Value: Sendable>(
    _ query: Query<E>, of columns: (Table) throws(StoreError) -> [Int],
    _ reader: RowReader<Value>
  ) async throws(StoreError) -> [Value] {
    let plan = try QueryPlan(query, model)
    let columns = try columns(plan.table)
    if plan.isNever { return [] }
    if touches(plan) { return try await layered(plan, columns, reader) }
    return try await snapshot.rows(plan, columns, reader) { $0.select(columns) }
  }

  @concurrent
  private func layered<Value: Sendable>(
    _ plan: QueryPlan, _ columns: [Int], _ reader: RowReader<Value>
  ) async throws(StoreError) -> [Value] {
    let rows: [Record]
    switch try await answer(of: plan) {
    case .rows(let all): rows = plan.window(all)
    case .corrected(let plan, let edited):
      let decisive = plan.order.attributes.union(AttributeSet(columns))
      if edited.differing(in: decisive).isEmpty {
        return try await snapshot.rows(plan, columns, reader) { $0.select(columns) }
      }
      rows = try await self.rows(of: plan, correctedBy: edited)
    }
    return try rows.map { record throws(StoreError) in
      try plan.table.value(reader, columns) { record[columns[$0]] }
    }
  }

  /// Returns the values made of a query's rows, group by group; one value if there are no groups.
  func summary<E: Entity, Value: Sendable>(
    _ query: Query<E>, groupedBy groups: [SendablePath], _ terms: [AggregateTerm<SendablePath>],
    _ reader: RowReader<Value>
  ) async throws(StoreError) -> [Value] {
    let plan = try QueryPlan(query, model)
    let groups = try plan.table.columns(groups)
    let terms = try plan.table.resolved(terms)
    // A row has the groups' columns, then the terms.
    let columns = groups + terms.map { $0.attribute ?? Table.keyColumn }
    // The sum of no rows is a value, too, and needs no statement.
    if touches(plan) || plan.isNever {
      return try await summarized(plan, groups, terms, columns, reader)
    }
    return try await snapshot.rows(plan, columns, reader) { $0.summary(groupedBy: groups, terms) }
  }

  @concurrent
  private func summarized<Value: Sendable>(
    _ plan: QueryPlan, _ groups: [Int], _ terms: [AggregateTerm<Int>], _ columns: [Int],
    _ reader: RowReader<Value>
  ) async throws(StoreError) -> [Value] {
    let rows: [Record]
    switch try await answer(of: plan) {
    case .rows(let all): rows = plan.window(all)
    case .corrected(let plan, let edited):
      var decisive = AttributeSet(groups + terms.compactMap(\.attribute))
      // A row that moves may leave the limit or enter it.
      if !plan.isWhole { decisive.formUnion(plan.order.attributes) }
      let edited = edited.differing(in: decisive)
      if edited.isEmpty {
        return try await snapshot.rows(plan, columns, reader) {
          $0.summary(groupedBy: groups, terms)
        }
      }
      if plan.isWhole {
        return try await snapshot.rows(
          plan, columns, reader, SummaryCorrection(groups, terms, edited))
      }
      rows = try await self.rows(of: plan, correctedBy: edited)
    }
    let fold = AggregateFold(terms, by: groups, of: ContiguousArray(rows))
    let found = fold.rows.sorted {
      GroupKey($0.prefix(groups.count)) < GroupKey($1.prefix(groups.count))
    }
    return try found.map { cells throws(StoreError) in
      try plan.table.value(reader, columns) { cells[$0] }
    }
  }
}

extension Table {
  /// Returns the value that a reader makes of a row's cells.
  ///
  /// - Parameter columns: the columns of this table that the row has.
  func value<Value>(
    _ reader: RowReader<Value>, _ columns: [Int], _ cell: (Int) -> Cell
  ) throws(StoreError) -> Value {
    do throws(CodingFailure) { return try reader.read(cell) } catch {
      throw self.error(error, columns)
    }
  }

  /// Returns the error for a value at a position of a row that has some of the columns.
  func error(_ failure: CodingFailure, _ columns: [Int]) -> StoreError {
    error(failure.mapped(columns), key: nil)
  }
}
