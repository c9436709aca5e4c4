/// A table joined through a to-one reference.
struct Join: Sendable {
  /// The table that has the reference: 0 is the one that the joins begin with, other numbers are
  /// those of the joins, counted from 1.
  let source: Int
  let column: Int
  let table: Table
  /// What SQL calls the table.
  let alias: String

  /// The join as SQL; `source` is what SQL calls the table that has the reference.
  func text(_ reference: String) -> String {
    let key = table.columns[Table.keyColumn].name.quotedIdentifier
    return " LEFT JOIN \(table.name.quotedIdentifier) AS \(alias) ON \(alias).\(key) = \(reference)"
  }
}

/// The rows that a relationship leads to and that meet a condition: what `any` and `count` ask for.
///
/// The condition looks at the related row and at what that refers to, never at the row outside, so
/// the rows can be found once for all.
final class RelatedRows: Sendable {
  enum Kind: Sendable {
    /// The rows have the source's key in a column.
    case toMany(column: Int)
    /// The rows are linked with the source.
    case links(JoinTable.End)
  }

  /// The place among the related rows of one table.
  let index: Int
  /// The table that the relationship starts from, numbered as in ``Join/source``.
  let source: Int
  /// The key of the source in SQL.
  let sourceKey: String
  let kind: Kind
  let table: Table
  let alias: String
  /// What the rows refer to.
  let joins: [Join]
  /// What the rows are related to.
  let related: [RelatedRows]
  /// The searches of full text in the condition.
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

  /// Whether the change of a table can change which rows there are.
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
      // An inner join: a link to nothing leads nowhere.
      text +=
        " JOIN \(end.table.name.quotedIdentifier) AS \(alias)l ON \(key) = \(alias)l.\(target)"
    }
    return text + joins.text(from: table, alias)
  }

  /// Appends the condition that there are such rows, or that there are none.
  ///
  /// With a condition on them, their sources are a list that is made once, from the inside out,
  /// each step with an index: asking row by row would read every row of the table outside. Any row
  /// at all is found by one look into an index.
  func append(existenceTo sql: inout SQLBuilder, negated: Bool) {
    guard let filter else {
      sql.append("\(negated ? "NOT " : "")EXISTS (SELECT 1 FROM \(from)")
      return sql.append(" WHERE \(owner.name) = \(sourceKey))")
    }
    // A null in the list, or looked up in it, would make null of `NOT IN`.
    if negated { sql.append("(\(sourceKey) IS NULL OR ") }
    sql.append("\(sourceKey) \(negated ? "NOT " : "")IN (SELECT \(owner.name) FROM \(from) WHERE ")
    if owner.isOptional { sql.append("\(owner.name) IS NOT NULL AND ") }
    filter.append(to: &sql)
    sql.append(negated ? "))" : ")")
  }

  /// The number of the rows in SQL.
  func count(_ sql: inout SQLBuilder) -> String {
    let condition = filter.map { filter in " AND " + sql.rendered { filter.append(to: &$0) } } ?? ""
    return "(SELECT count(*) FROM \(from) WHERE \(owner.name) = \(sourceKey)\(condition))"
  }
}

extension [Join] {
  /// The joins as SQL, behind a table and what SQL calls it.
  func text(from table: Table, _ alias: String) -> String {
    map { join in
      let source = join.source == 0 ? table : self[join.source - 1].table
      let name = join.source == 0 ? alias : self[join.source - 1].alias
      return join.text("\(name).\(source.columns[join.column].name.quotedIdentifier)")
    }.joined()
  }
}
