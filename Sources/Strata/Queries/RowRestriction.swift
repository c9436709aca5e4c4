/// A restriction to some of a query's rows.
///
/// A live query need not load all rows, and an answer that unsaved edits correct leaves some out.
enum RowRestriction {
  /// The rows with one of the keys.
  static func keys(_ keys: Set<Cell>) -> RowRestriction { .values(keys, column: Table.keyColumn) }

  /// The rows with one of some values in a column of the table.
  case values(Set<Cell>, column: Int)
  /// The rows with none of the keys.
  case otherKeys(Set<Cell>)
  /// The rows that come after a record in the query's order.
  case after(Record)
}

extension QueryPlan {
  /// Appends the condition that a row meets the restriction.
  func append(_ restriction: RowRestriction, to sql: inout SQLBuilder) {
    switch restriction {
    case .values(let values, let column): sql.append(columnName(column), among: values)
    case .otherKeys(let keys): append(otherKeys: keys, to: &sql)
    case .after(let record):
      OrderCondition(
        columns: order.columns.map { column in
          OrderCondition.Column(
            name: orderName(column), isDescending: column.isDescending,
            mayBeNull: mayBeNull(column.position), value: record[column.position])
        }, includesEqual: false
      ).append(to: &sql)
    }
  }

  /// Returns whether a cell of a row may be null. Ranks and the positions of links never are.
  private func mayBeNull(_ position: Int) -> Bool {
    position < table.columns.count
      ? table.columns[position].isOptional : sortValues.has(position)
  }

  /// Appends the condition that a row has none of the keys.
  ///
  /// Every index has the row number, but not a key that is no integer. The condition therefore asks
  /// for the row number, so that a statement that reads an index alone still does.
  private func append(otherKeys keys: Set<Cell>, to sql: inout SQLBuilder) {
    let key = table.columns[Table.keyColumn]
    guard key.storage != .integer, let number = table.sql.rowNumber else {
      return sql.append(columnName(Table.keyColumn), among: keys, negated: true)
    }
    sql.append("t0.\(number) NOT IN (SELECT \(number) FROM \(table.name.quotedIdentifier) WHERE ")
    sql.append(key.name.quotedIdentifier, among: keys)
    sql.append(")")
  }
}
