internal import StrataSQLite

/// The condition that a row comes after a record in an order, as SQL.
struct OrderCondition: Sendable {
  /// A column of the order, with the record's value.
  struct Column: Sendable {
    /// The column in SQL, with its collation.
    let name: String
    let isDescending: Bool
    let mayBeNull: Bool
    let value: Cell
  }

  let columns: [Column]
  /// Whether a row that is equal to the record in every column meets the condition.
  let includesEqual: Bool

  /// Appends the condition, which is null or false for all other rows.
  func append(to sql: inout SQLBuilder) {
    if let column = columns.first, let bound = column.bound {
      // The condition below implies this bound. The bound lets SQLite begin in the middle of an
      // index.
      sql.append("\(column.name) \(bound) ")
      sql.append(parameter: column.value)
      sql.append(" AND ")
    }
    append(columns[...], to: &sql)
  }

  /// Appends the condition for the columns after some equal ones.
  ///
  /// Null comes before every value, and therefore after every value in a descending column.
  private func append(_ columns: ArraySlice<Column>, to sql: inout SQLBuilder) {
    guard let column = columns.first else { return sql.append(includesEqual ? "1" : "0") }
    let name = column.name
    switch (column.value, column.isDescending) {
    case (.null, false): sql.append("(\(name) IS NOT NULL")
    case (.null, true): sql.append("(0")
    case (_, false):
      sql.append("(\(name) > ")
      sql.append(parameter: column.value)
    case (_, true):
      sql.append("(\(name) IS NULL OR \(name) < ")
      sql.append(parameter: column.value)
    }
    if columns.count > 1 || includesEqual {
      sql.append(" OR (")
      if column.value == .null {
        sql.append("\(name) IS NULL")
      } else {
        sql.append("\(name) = ")
        sql.append(parameter: column.value)
      }
      sql.append(" AND ")
      append(columns.dropFirst(), to: &sql)
      sql.append(")")
    }
    sql.append(")")
  }
}

extension OrderCondition.Column {
  /// The operator that the column satisfies in every row that comes after the record.
  ///
  /// The result is nil if there is no such operator.
  fileprivate var bound: String? {
    if value == .null { return nil }
    if !isDescending { return ">=" }
    // Null comes after every value in a descending column.
    return mayBeNull ? nil : "<="
  }
}
