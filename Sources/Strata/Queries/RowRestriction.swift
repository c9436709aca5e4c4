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
}
