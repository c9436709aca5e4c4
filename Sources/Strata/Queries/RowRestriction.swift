/// Some of a query's rows: what a live query reads instead of loading everything.
enum RowRestriction {
  /// Those with one of the keys.
  case keys(Set<Cell>)
  /// Those that come after a record in the query's order.
  case after(Record)
}

extension QueryPlan {
  /// Appends the condition that a row is one of these.
  func append(_ restriction: RowRestriction, to sql: inout SQLBuilder) {
    switch restriction {
    case .keys(let keys): sql.append(columnName(Table.keyColumn), among: keys)
    case .after(let record):
      if let bound = firstBound(record) {
        // Implied by what follows; lets SQLite begin in the middle of an index.
        sql.append("\(orderName(order.columns[0])) \(bound) ")
        sql.append(parameter: record[order.columns[0].position])
        sql.append(" AND ")
      }
      append(after: record, order.columns[...], to: &sql)
    }
  }

  /// The operator that the first column satisfies in every row after a record; nil if there is
  /// none.
  private func firstBound(_ record: Record) -> String? {
    let first = order.columns[0]
    if record.isNull(first.position) { return nil }
    if !first.isDescending { return ">=" }
    // Null comes after everything.
    let columns = table.columns
    return first.position < columns.count && columns[first.position].isOptional ? nil : "<="
  }

  /// Null comes before every value, so after every value in a descending column.
  private func append(
    after record: Record, _ columns: ArraySlice<RecordOrder.Column>, to sql: inout SQLBuilder
  ) {
    guard let column = columns.first else { return sql.append("0") }
    let name = orderName(column)
    let value = record[column.position]
    switch (value, column.isDescending) {
    case (.null, false): sql.append("(\(name) IS NOT NULL")
    case (.null, true): sql.append("(0")
    case (_, false):
      sql.append("(\(name) > ")
      sql.append(parameter: value)
    case (_, true):
      sql.append("(\(name) IS NULL OR \(name) < ")
      sql.append(parameter: value)
    }
    if columns.count > 1 {
      sql.append(" OR (")
      if value == .null {
        sql.append("\(name) IS NULL")
      } else {
        sql.append("\(name) = ")
        sql.append(parameter: value)
      }
      sql.append(" AND ")
      append(after: record, columns.dropFirst(), to: &sql)
      sql.append(")")
    }
    sql.append(")")
  }
}
