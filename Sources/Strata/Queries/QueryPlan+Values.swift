// SQL for what is not whole rows: some of their columns, whether there are any, what they amount
// to.

extension QueryPlan {
  /// Some columns of the rows in order, limit and offset respected.
  func select(_ columns: [Int]) -> SQLBuilder {
    var sql = SQLBuilder()
    sql.append("SELECT \(columns.map(columnName).joined(separator: ", "))")
    appendRank(to: &sql)
    sql.append(" FROM \(source)")
    append(filterTo: &sql)
    sql.append(orderBy)
    sql.append(limit: limit, offset: offset)
    return sql
  }

  /// 1 if there is any row, limit and offset respected; 0 if not.
  func exists() -> SQLBuilder {
    var sql = SQLBuilder()
    sql.append("SELECT EXISTS (SELECT 1 FROM \(source)")
    append(filterTo: &sql)
    sql.append(limit: limit, offset: offset)
    sql.append(")")
    return sql
  }

  /// What the rows amount to: for each group its columns and the terms, in the groups' order; one
  /// row of terms if there are no groups.
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
      appendRank(to: &sql)
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
  /// Appends what ranks the rows as one more column, for the order to name.
  private func appendRank(to sql: inout SQLBuilder) {
    guard let ranking else { return }
    sql.append(", ")
    ranking.append(to: &sql)
  }
}

extension SQLBuilder {
  /// Appends which of the rows are wanted: nothing if all are.
  mutating func append(limit: Int?, offset: Int) {
    if limit == nil && offset == 0 { return }
    append(" LIMIT ")
    append(parameter: .integer(Int64(limit ?? -1)))
    if offset == 0 { return }
    append(" OFFSET ")
    append(parameter: .integer(Int64(offset)))
  }
}
