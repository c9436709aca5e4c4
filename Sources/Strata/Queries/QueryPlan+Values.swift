// SQL for results other than whole rows: selected columns, the existence of rows, and aggregates.

internal import StrataSQLite

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
  ///
  /// The spellings of a text are one group, whose text is the least of them. Where the terms allow it,
  /// SQLite first groups by bytes, which an index serves, and then joins the groups of a text.
  ///
  /// - Parameter part: the part of the rows that the store adds up, in a query without limit and
  ///   offset; nil for all rows.
  func summary(
    groupedBy groups: [Int], _ terms: [AggregateTerm<Int>], _ part: StoredPart? = nil
  ) -> SQLBuilder {
    let texts = groups.filter(isText)
    let joins = terms.map { $0.function.join }
    guard !texts.isEmpty, !joins.contains(nil) else {
      return summary(groups, terms, part) { isText($0) ? TextCollation.canonical : nil }
    }
    var sql = SQLBuilder()
    let names = groups.indices.map { isText(groups[$0]) ? "min(g\($0))" : "g\($0)" }
    let values = joins.enumerated().map { "\($1 ?? "")(v\($0))" }
    sql.append("SELECT \((names + values).joined(separator: ", ")) FROM (")
    sql.append(summary(groups, terms, part, isNamed: true) { _ in nil })
    let list = groups.enumerated()
      .map { "g\($0)" + (isText($1) ? TextCollation.canonical.sql : "") }.joined(separator: ", ")
    sql.append(") GROUP BY \(list) ORDER BY \(list)")
    return sql
  }

  /// Returns whether a column has texts.
  private func isText(_ column: Int) -> Bool { table.columns[column].storage == .text }

  /// Returns the SQL for aggregates of groups of the given collations.
  ///
  /// - Parameter isNamed: whether the groups' columns are g0, g1, …, and the terms v0, v1, …, in no
  ///   order.
  private func summary(
    _ groups: [Int], _ terms: [AggregateTerm<Int>], _ part: StoredPart?, isNamed: Bool = false,
    _ collation: (Int) -> TextCollation?
  ) -> SQLBuilder {
    func name(_ column: Int) -> String { isWhole ? columnName(column) : "w.c\(column)" }
    var sql = SQLBuilder()
    let values = terms.enumerated().map { index, term in
      if part != nil, term.function == .total, let column = term.attribute {
        return "strata_sum_parts(\(name(column)))"
      }
      let text = term.sql { column in
        term.function == .distinct ? counted(term, column, name(column)) : name(column)
      }
      guard let column = term.attribute, let known = part?.counted[index], !known.isEmpty else {
        return text
      }
      let condition = sql.rendered {
        $0.append(counted(term, column, name(column)), among: known, negated: true)
      }
      return "\(text) FILTER (WHERE \(condition))"
    }
    let results =
      groups.enumerated().map { index, column in
        (collation(column) == nil ? name(column) : "min(\(name(column)))")
          + (isNamed ? " AS g\(index)" : "")
      } + values.enumerated().map { isNamed ? "\($1) AS v\($0)" : $1 }
    sql.append("SELECT \(results.joined(separator: ", ")) FROM ")
    if isWhole {
      sql.append(source)
      append(filterTo: &sql, part?.restriction)
    } else {
      appendWindow(of: groups + terms.compactMap(\.attribute), to: &sql)
    }
    if groups.isEmpty { return sql }
    let list = groups.map { name($0) + (collation($0)?.sql ?? "") }.joined(separator: ", ")
    sql.append(" GROUP BY \(list)")
    if !isNamed { sql.append(" ORDER BY \(list)") }
    return sql
  }

  /// Returns a value that is counted as distinct, as SQL, in the spelling and the collation in which
  /// it is compared.
  private func counted(_ term: AggregateTerm<Int>, _ column: Int, _ name: String) -> String {
    guard isText(column) else { return name }
    return (term.spelling == nil ? name : table.spelt(column, name)) + TextCollation.canonical.sql
  }

  /// Returns the SQL for the groups in which the store has some values of a term, each with the value.
  func groups(
    _ groups: [Int], with values: Set<Cell>, of term: AggregateTerm<Int>, _ part: StoredPart
  ) -> SQLBuilder {
    var sql = SQLBuilder()
    let column = term.attribute ?? Table.keyColumn
    let value = counted(term, column, columnName(column))
    let names = groups.map(columnName)
    sql.append("SELECT \((names + [value]).joined(separator: ", ")) FROM \(source)")
    append(filterTo: &sql, .otherKeys(part.without))
    sql.append(" AND ")
    sql.append(value, among: values)
    let list = zip(groups, names).map { isText($0) ? $1 + TextCollation.canonical.sql : $1 }
    sql.append(" GROUP BY \((list + [value]).joined(separator: ", "))")
    return sql
  }

  /// Appends the rows within limit and offset as the table `w`, with some columns c0, c1, ….
  private func appendWindow(of columns: [Int], to sql: inout SQLBuilder) {
    let names = Set(columns).sorted().map { "\(columnName($0)) AS c\($0)" }
    sql.append("(SELECT \(names.isEmpty ? "1" : names.joined(separator: ", "))")
    appendOrder(to: &sql)
    sql.append(" FROM \(source)")
    append(filterTo: &sql)
    sql.append(orderBy)
    sql.append(limit: limit, offset: offset)
    sql.append(") AS w")
  }
}

/// The part of a query's rows that the store adds up if unsaved edits decide the other rows.
///
/// The terms of this part can be added to: a sum of reals comes in its parts, as ``ExactSum`` reads them.
struct StoredPart: Sendable {
  /// The keys whose rows the store leaves out.
  var without: Set<Cell> = []
  /// The values that the store does not count as distinct, by the position of their term.
  var counted: [Int: Set<Cell>] = [:]

  fileprivate var restriction: RowRestriction? { without.isEmpty ? nil : .otherKeys(without) }
}

extension AggregateFunction {
  /// The SQL function that joins the values of several groups; nil if the values do not tell that of
  /// all rows.
  fileprivate var join: String? {
    switch self {
    case .rows, .values, .highSum, .lowSum: "sum"
    case .least: "min"
    case .greatest: "max"
    case .distinct, .total: nil
    }
  }
}

extension TextCollation {
  /// The collation after an expression in SQL.
  var sql: String { " COLLATE \(name.quotedIdentifier)" }
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
