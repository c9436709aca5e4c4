/// A table joined through a to-one reference.
struct Join: Sendable {
  /// The number of the table that has the reference.
  ///
  /// 0 is the table with which the joins begin. Other numbers are those of the joins, counted from
  /// 1.
  let source: Int
  let column: Int
  let table: Table
  /// The table's alias in SQL.
  let alias: String

  /// Returns the join as SQL.
  ///
  /// - Parameter reference: the column with the reference, as SQL.
  func text(_ reference: String) -> String {
    let key = table.columns[Table.keyColumn].name.quotedIdentifier
    return " LEFT JOIN \(table.name.quotedIdentifier) AS \(alias) ON \(alias).\(key) = \(reference)"
  }
}

/// The rows of a relationship that meet a condition, as `any` and `count` need them.
///
/// The condition reads the related row and the rows that it refers to, never the row outside. These
/// rows can therefore be found once for all rows outside.
final class RelatedRows: Sendable {
  enum Kind: Sendable {
    /// The rows have the source's key in a column.
    case toMany(column: Int)
    /// The rows are linked with the source.
    case links(JoinTable.End)
  }

  /// The position among the related rows of one table.
  let index: Int
  /// The table that the relationship starts from, numbered as in ``Join/source``.
  let source: Int
  /// The key of the source in SQL.
  let sourceKey: String
  let kind: Kind
  let table: Table
  let alias: String
  /// The tables that the rows refer to.
  let joins: [Join]
  /// The rows that these rows are related to.
  let related: [RelatedRows]
  /// The full-text searches in the condition.
  let searches: [ResolvedSearch]
  let filter: ResolvedFilter?

  init(
    index: Int, source: Int, sourceKey: String, kind: Kind, table: Table, alias: String,
    joins: [Join], related: [RelatedRows], searches: [ResolvedSearch], filter: ResolvedFilter?
  ) {
    self.index = index
    self.source = source
    self.sourceKey = sourceKey
    self.kind = kind
    self.table = table
    self.alias = alias
    self.joins = joins
    self.related = related
    self.searches = searches
    self.filter = filter
  }

  /// Returns whether the change of a table can change which rows there are.
  func depends(on changed: TableID) -> Bool {
    if changed == table.id || joins.contains(where: { $0.table.id == changed }) { return true }
    if case .links(let end) = kind, end.table.id == changed { return true }
    return related.contains { $0.depends(on: changed) }
  }

  // MARK: SQL

  /// The key of the source, as a column of the rows.
  private var owner: (name: String, isOptional: Bool) {
    switch kind {
    case .toMany(let column):
      ("\(alias).\(table.columns[column].name.quotedIdentifier)", table.columns[column].isOptional)
    case .links(let end):
      ("\(alias)l.\(end.table.columns[end.root].name.quotedIdentifier)", false)
    }
  }

  private var from: String {
    var text = "\(table.name.quotedIdentifier) AS \(alias)"
    if case .links(let end) = kind {
      let key = "\(alias).\(table.columns[Table.keyColumn].name.quotedIdentifier)"
      let target = end.table.columns[end.target].name.quotedIdentifier
      // The join is an inner join, because a link to a missing row leads nowhere.
      text +=
        " JOIN \(end.table.name.quotedIdentifier) AS \(alias)l ON \(key) = \(alias)l.\(target)"
    }
    return text + joins.text(from: table, alias)
  }

  /// Appends the condition that there are such rows, or that there are no such rows.
  ///
  /// With a condition on the rows, SQLite makes a list of their sources once, from the inside out,
  /// and each step uses an index. Testing row by row would read every row of the table outside.
  /// Without a condition, a single index lookup finds any row.
  func append(existenceTo sql: inout SQLBuilder, negated: Bool) {
    guard let filter else {
      sql.append("\(negated ? "NOT " : "")EXISTS (SELECT 1 FROM \(from)")
      return sql.append(" WHERE \(owner.name) = \(sourceKey))")
    }
    // A null in the list, or a null looked up in it, would make `NOT IN` null.
    if negated { sql.append("(\(sourceKey) IS NULL OR ") }
    sql.append("\(sourceKey) \(negated ? "NOT " : "")IN (SELECT \(owner.name) FROM \(from) WHERE ")
    if owner.isOptional { sql.append("\(owner.name) IS NOT NULL AND ") }
    filter.append(to: &sql)
    sql.append(negated ? "))" : ")")
  }

  /// Returns the number of the rows as SQL.
  func count(_ sql: inout SQLBuilder) -> String {
    let condition = filter.map { filter in " AND " + sql.rendered { filter.append(to: &$0) } } ?? ""
    return "(SELECT count(*) FROM \(from) WHERE \(owner.name) = \(sourceKey)\(condition))"
  }
}

extension [Join] {
  /// Returns the joins as SQL, to follow a table and its alias.
  func text(from table: Table, _ alias: String) -> String {
    map { join in
      let source = join.source == 0 ? table : self[join.source - 1].table
      let name = join.source == 0 ? alias : self[join.source - 1].alias
      return join.text("\(name).\(source.columns[join.column].name.quotedIdentifier)")
    }.joined()
  }
}
