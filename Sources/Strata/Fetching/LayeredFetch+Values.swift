// Parts of rows and values made of rows: by SQL, or from records where unsaved edits may matter.

extension LayeredFetch {
  /// Returns whether a query has any entity.
  func exists<E: Entity>(_ query: Query<E>) async throws(StoreError) -> Bool {
    let plan = try QueryPlan(query, model)
    if !touches(plan) { return try await snapshot.exists(plan) }
    return try await !records(try QueryPlan(query.limit(1), model)).isEmpty
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
    try await records(plan).map { record throws(StoreError) in
      do throws(CodingFailure) { return try reader.read { record[columns[$0]] } } catch {
        throw plan.table.error(error, columns)
      }
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
    let fold = AggregateFold(terms, by: groups, of: ContiguousArray(try await records(plan)))
    let rows = fold.rows.sorted {
      GroupKey($0.prefix(groups.count)) < GroupKey($1.prefix(groups.count))
    }
    return try rows.map { cells throws(StoreError) in
      do throws(CodingFailure) { return try reader.read { cells[$0] } } catch {
        throw plan.table.error(error, columns)
      }
    }
  }
}

extension Table {
  /// Returns the error for a value at a position of a row that has some of the columns.
  func error(_ failure: CodingFailure, _ columns: [Int]) -> StoreError {
    error(failure.mapped(columns), key: nil)
  }
}
