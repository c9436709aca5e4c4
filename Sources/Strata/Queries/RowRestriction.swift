/// A restriction to some of a query's rows, so that a live query need not load all of them.
enum RowRestriction {
  /// The rows with one of the keys.
  case keys(Set<Cell>)
  /// The rows that come after a record in the query's order.
  case after(Record)
}

extension QueryPlan {
  /// Appends the condition that a row meets the restriction.
  func append(_ restriction: RowRestriction, to sql: inout SQLBuilder) {
    switch restriction {
    case .keys(let keys): sql.append(columnName(Table.keyColumn), among: keys)
    case .after(let record):
      if let bound = firstBound(record) {
        // The condition below implies this bound. The bound lets SQLite begin in the middle of an
        // index.
        sql.append("\(orderName(order.columns[0])) \(bound) ")
        sql.append(parameter: record[order.columns[0].position])
        sql.append(" AND ")
      }
      append(after: record, order.columns[...], to: &sql)
    }
  }

  /// Returns the operator that the first column satisfies in every row after a record.
  ///
  /// The result is nil if there is no such operator.
  private func firstBound(_ record: Record) -> String? {
    let first = order.columns[0]
    if record.isNull(first.position) { return nil }
    if !first.isDescending { return ">=" }
    // Null comes after every value in a descending column.
    let columns = table.columns
    if first.position < columns.count { return columns[first.position].isOptional ? nil : "<=" }
    return sortValues.has(first.position) ? nil : "<="
  }

  /// Appends the condition that a row comes after a record.
  ///
  /// Null comes before every value, and therefore after every value in a descending column.
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
