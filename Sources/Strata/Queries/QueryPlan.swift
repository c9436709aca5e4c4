internal import Foundation
internal import StrataSQLite

/// A query resolved against a model, with columns instead of key paths and without types.
///
/// The plan is made once per query. Reading the rows needs no key path.
final class QueryPlan: Sendable {
  let table: Table
  let filter: ResolvedFilter?
  /// The tables that the filter reads through to-one references.
  let joins: [Join]
  /// The conditions of the filter on to-many and many-to-many relationships.
  let related: [RelatedRows]
  let order: RecordOrder
  let limit: Int?
  let offset: Int
  /// The row without which the query is empty.
  let root: PlannedRoot?
  /// The links that lead to the rows.
  let links: PlannedLinks?
  /// An order by relevance or distance, whose cell comes after the table's cells.
  let ranking: ResolvedRanking?
  /// The full-text searches in the filter.
  let searches: [ResolvedSearch]
  /// The computed values of the order. Their cells are the last of a row.
  let sortValues: SortValues

  convenience init(everyRowOf table: Table) { self.init(table, nil) }

  /// Creates the plan for the rows of a table that meet a filter of its own columns, by key.
  init(_ table: Table, _ filter: ResolvedFilter?) {
    self.table = table
    self.filter = filter
    joins = []
    related = []
    order = .byKey
    limit = nil
    offset = 0
    root = nil
    links = nil
    ranking = nil
    searches = []
    sortValues = SortValues()
  }

  /// Creates the same query with another root, other links or another filter, and with or without
  /// its limit and its offset.
  private init(
    _ plan: QueryPlan, root: PlannedRoot?, links: PlannedLinks?, filter: ResolvedFilter?,
    isWhole: Bool = false
  ) {
    table = plan.table
    self.filter = filter
    joins = plan.joins
    related = plan.related
    order = plan.order
    limit = isWhole ? nil : plan.limit
    offset = isWhole ? 0 : plan.offset
    self.root = root
    self.links = links
    ranking = plan.ranking
    searches = plan.searches
    sortValues = plan.sortValues
  }

  /// The query without the condition that its root exists.
  var withoutRoot: QueryPlan {
    root == nil ? self : QueryPlan(self, root: nil, links: links, filter: filter)
  }

  /// The query for all rows of its table, linked or not.
  ///
  /// If the links order the query, this plan cannot sort its rows.
  var withoutLinks: QueryPlan { QueryPlan(self, root: nil, links: nil, filter: filter) }

  /// The query without its limit and its offset.
  var whole: QueryPlan {
    isWhole ? self : QueryPlan(self, root: root, links: links, filter: filter, isWhole: true)
  }

  /// Whether the query has neither a limit nor an offset.
  var isWhole: Bool { limit == nil && offset == 0 }

  /// Returns the query for only the rows that also meet another filter.
  func filtered(by other: ResolvedFilter) -> QueryPlan {
    QueryPlan(self, root: root, links: links, filter: filter.map { .and($0, other) } ?? other)
  }

  init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    let table = model.table(of: E.self)
    var resolver = QueryResolver(model: model, root: table)
    var filter = try query.filter.map { node throws(StoreError) in try resolver.resolve(node) }
    let source = try query.source.map { source throws(StoreError) in try resolver.resolve(source) }
    root = source?.root
    links = source?.links
    var columns: [RecordOrder.Column] = []
    var collations: [TextCollation] = []
    var values = SortValues(
      after: table.columns.count + (query.ranking == nil ? 0 : 1)
        + (links?.end.position == nil ? 0 : 1),
      count: query.computedSorts)
    for sort in query.sorts {
      let position: Int
      switch sort.key {
      case .attribute(let path): position = try resolver.resolve(AttributeReference(path)).column
      case .computed(let node): position = values.add(try resolver.resolve(node))
      }
      var column = RecordOrder.Column(position: position, isDescending: sort.order == .reverse)
      if let text = sort.text {
        column.collation = collations.count
        collations.append(text.collation)
      }
      columns.append(column)
    }
    ranking = try query.ranking.map { ranking throws(StoreError) in
      try resolver.resolve(ranking, &filter)
    }
    if let ranking = query.ranking {
      columns.insert(
        .init(position: table.columns.count, isDescending: false), at: ranking.position)
    }
    if let path = query.source?.position {
      let attribute = try resolver.resolve(AttributeReference(path))
      columns.append(.init(position: attribute.column, isDescending: false))
    }
    sortValues = values
    if links?.end.position != nil {
      columns.append(
        .init(position: table.columns.count + (ranking == nil ? 0 : 1), isDescending: false))
    }
    // Equal rows follow the direction of the last sort. So a reversed order is the exact reverse, and
    // an index that is read backwards has it.
    let isKeyDescending =
      query.sorts.last?.isOfSections == false && columns.last?.isDescending == true
    let order = RecordOrder(columns, collations: collations, isKeyDescending: isKeyDescending)
    for bound in query.bounds {
      let bounded = ResolvedFilter.bounded(try ResolvedBound(bound, of: table, order))
      filter = filter.map { .and($0, bounded) } ?? bounded
    }
    self.table = table
    // A condition that is never met reads no other rows. The order may read a search or other rows.
    let looksAround = filter?.isNever != true || ranking != nil || !values.isEmpty
    self.filter = looksAround ? filter : .never
    joins = looksAround ? resolver.joins : []
    related = looksAround ? resolver.related : []
    searches = looksAround ? resolver.searches : []
    self.order = order
    limit = query.limit
    offset = query.offset
  }

  /// Whether the query has no rows in any store, so that nothing need be read.
  var isNever: Bool { filter?.isNever == true }

  /// The number of rows, from the first, that decide the result; nil for all.
  var reach: Int? { limit.map { $0 + offset } }

  /// Whether a row's membership depends only on the row itself.
  var isRowLocal: Bool {
    if case .relevance? = ranking { return false }
    return joins.isEmpty && related.isEmpty && links == nil && searches.isEmpty
  }

  /// Whether a row's membership depends only on the row itself, although its position may not.
  var hasOwnMembership: Bool {
    if case .relevance? = ranking { return false }
    return links == nil && searches.isEmpty && filter?.readsOtherRows != true
  }

  /// Whether the order begins with the ranking.
  var isRankedFirst: Bool {
    ranking != nil && order.columns.first?.position == table.columns.count
  }

  /// The number of cells of a row that decide the result.
  ///
  /// These are the table's cells, the ranking's cell if there is a ranking, the position of the
  /// row's link if it orders the rows, and the computed values of the order.
  var width: Int {
    table.columns.count + (ranking == nil ? 0 : 1) + (links?.end.position == nil ? 0 : 1)
      + sortValues.count
  }

  /// The position of the cell with the position of a row's link; nil if no link orders the rows.
  var linkCell: Int? {
    links?.end.position == nil ? nil : table.columns.count + (ranking == nil ? 0 : 1)
  }

  /// Returns a row of the table with all cells of a query that reads only its own rows.
  func ownRow(_ record: Record) -> Record {
    let ranked = row(record)
    if sortValues.isEmpty { return ranked }
    return ranked.withView { view in
      sortValues.append(
        to: ranked, MatchRow(row: view, joined: [], related: [], found: []))
    }
  }

  /// Returns a row of the table with the ranking's cell, if there is a ranking.
  ///
  /// The cells that may follow in a row of the query are not added.
  ///
  /// - Parameter stored: the row as the query returned it; nil if it did not.
  func row(_ record: Record, like stored: Record? = nil) -> Record {
    ranking?.rank(record, like: stored) ?? record
  }

  /// Returns whether the change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    changed == table.id || joins.contains { $0.table.id == changed }
      || related.contains { $0.depends(on: changed) } || links?.end.table.id == changed
  }

  // MARK: SQL

  /// The tables of the rows, as SQL.
  var source: String {
    var text = table.sql.source
    if let ranking { text += ranking.source }
    if let links {
      text += " JOIN \(links.end.table.name.quotedIdentifier) AS l"
      text += " ON \(table.sql.sourceColumns[Table.keyColumn]) = \(links.name(links.end.target))"
    }
    return text + joins.text(from: table, "t0")
  }

  /// Appends the condition that the rows meet.
  func append(filterTo sql: inout SQLBuilder, _ restriction: RowRestriction? = nil) {
    var connective = " WHERE "
    func connect(_ sql: inout SQLBuilder) {
      sql.append(connective)
      connective = " AND "
    }
    if let links {
      connect(&sql)
      sql.append(links.name(links.end.root), among: links.roots)
    }
    if let filter {
      connect(&sql)
      filter.append(to: &sql)
    }
    if let root {
      connect(&sql)
      let key = root.table.columns[Table.keyColumn].name.quotedIdentifier
      sql.append("EXISTS (SELECT 1 FROM \(root.table.name.quotedIdentifier) WHERE \(key) = ")
      sql.append(parameter: root.key.cell)
      sql.append(")")
    }
    if let restriction {
      connect(&sql)
      append(restriction, to: &sql)
    }
  }

  /// Returns a column of the rows as SQL.
  ///
  /// The ranking has a name only if it is selected.
  func columnName(_ position: Int) -> String {
    if position >= table.columns.count {
      if sortValues.has(position) { return SortValues.name(position) }
      if ranking != nil && position == table.columns.count { return ResolvedRanking.name }
      if let links, let column = links.end.position { return links.name(column) }
    }
    return table.sql.sourceColumns[position]
  }

  var orderBy: String {
    " ORDER BY "
      + order.columns.map { "\(orderName($0))\($0.isDescending ? " DESC" : "")" }
      .joined(separator: ", ")
  }

  /// Returns a column as SQL, with the collation in which it is sorted.
  func orderName(_ column: RecordOrder.Column) -> String {
    let collate = column.collation.map { order.collations[$0].sql }
    return columnName(column.position) + (collate ?? "")
  }

  /// Returns the SQL for all columns of the rows in order, and for the root that a link leads from.
  ///
  /// - Parameters:
  ///   - limit: the largest number of rows; nil for all.
  ///   - offset: the number of rows to leave out at the start.
  ///   - isSorted: whether SQLite sorts the rows. If not, the caller sorts them.
  ///   - restriction: the condition that leaves only some of the rows.
  func select(
    limit: Int?, offset: Int, isSorted: Bool = true, only restriction: RowRestriction? = nil
  ) -> SQLBuilder {
    var sql = SQLBuilder()
    sql.append("SELECT ")
    sql.append(table.sql.sourceColumnList)
    for position in table.columns.count..<width {
      sql.append(", ")
      if let ranking, position == table.columns.count {
        ranking.append(to: &sql)
      } else if sortValues.has(position) {
        sortValues.append(position, to: &sql)
      } else {
        sql.append(columnName(position))
      }
    }
    if let links { sql.append(", \(links.name(links.end.root))") }
    sql.append(" FROM \(source)")
    append(filterTo: &sql, restriction)
    if isSorted { sql.append(orderBy) }
    sql.append(limit: limit, offset: offset)
    return sql
  }

  /// Returns the SQL for the number of rows within limit and offset.
  func count() -> SQLBuilder {
    var sql = SQLBuilder()
    if limit == nil && offset == 0 {
      sql.append("SELECT count(*) FROM \(source)")
      append(filterTo: &sql)
    } else {
      append(countUpTo: limit, after: offset, to: &sql)
    }
    return sql
  }

  /// Returns the SQL for the number of rows, or for `limit` if there are more.
  func count(upTo limit: Int) -> SQLBuilder {
    var sql = SQLBuilder()
    append(countUpTo: limit, after: 0, to: &sql)
    return sql
  }

  private func append(countUpTo limit: Int?, after offset: Int, to sql: inout SQLBuilder) {
    sql.append("SELECT count(*) FROM (SELECT 1 FROM \(source)")
    append(filterTo: &sql)
    sql.append(limit: limit, offset: offset)
    sql.append(")")
  }
}

extension QueryPlan {
  /// The SQL of the query; queries with equal SQL have the same result.
  var identity: SQLBuilder { select(limit: limit, offset: offset) }
}
