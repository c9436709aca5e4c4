// SQL for results other than whole rows: selected columns, the existence of rows, and aggregates.

extension QueryPlan {
  /// Returns the SQL for some columns of the rows in order, within limit and offset.
  func select(_ columns: [Int]) -> SQLBuilder {
    var sql = SQLBuilder()
    sql.append("SELECT \(columns.map(columnName).joined(separator: ", "))")
    appendOrder(to: &sql)
    sql.append(" FROM \(source)")
    append(filterTo: &sql)
    sql.append(orderBy)
    sql.append(limit: limit, offset: offset)
    return sql
  }

  /// Returns the SQL for 1 if there is any row within limit and offset, or 0 if not.
  func exists() -> SQLBuilder {
    var sql = SQLBuilder()
    sql.append("SELECT EXISTS (SELECT 1 FROM \(source)")
    append(filterTo: &sql)
    sql.append(limit: limit, offset: offset)
    sql.append(")")
    return sql
  }

  /// Returns the SQL for aggregates of the rows.
  ///
  /// Each group has a row with its columns and the terms, in the groups' order. Without groups,
  /// there is a single row of terms.
  func summary(groupedBy groups: [Int], _ terms: [AggregateTerm<Int>]) -> SQLBuilder {
    let isWhole = limit == nil && offset == 0
    func name(_ column: Int) -> String { isWhole ? columnName(column) : "w.c\(column)" }
    var sql = SQLBuilder()
    let results = groups.map(name) + terms.map { $0.sql(name) }
    sql.append("SELECT \(results.joined(separator: ", ")) FROM ")
    if isWhole {
      sql.append(source)
      append(filterTo: &sql)
    } else {
      let columns = Set(groups + terms.compactMap(\.attribute)).sorted()
      let names = columns.map { "\(columnName($0)) AS c\($0)" }
      sql.append("(SELECT \(names.isEmpty ? "1" : names.joined(separator: ", "))")
      appendOrder(to: &sql)
      sql.append(" FROM \(source)")
      append(filterTo: &sql)
      sql.append(orderBy)
      sql.append(limit: limit, offset: offset)
      sql.append(") AS w")
    }
    if groups.isEmpty { return sql }
    let list = groups.map(name).joined(separator: ", ")
    sql.append(" GROUP BY \(list) ORDER BY \(list)")
    return sql
  }
}

extension QueryPlan {
  /// Appends the ranking and the computed values of the order as further columns, so that the order
  /// can name them.
  private func appendOrder(to sql: inout SQLBuilder) {
    if let ranking {
      sql.append(", ")
      ranking.append(to: &sql)
    }
    for position in sortValues.positions {
      sql.append(", ")
      sortValues.append(position, to: &sql)
    }
  }
}

extension SQLBuilder {
  /// Appends the limit and the offset, or nothing if all rows are wanted.
  mutating func append(limit: Int?, offset: Int) {
    if limit == nil && offset == 0 { return }
    append(" LIMIT ")
    append(parameter: .integer(Int64(limit ?? -1)))
    if offset == 0 { return }
    append(" OFFSET ")
    append(parameter: .integer(Int64(offset)))
  }
}
