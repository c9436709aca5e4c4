internal import StrataSQLite

/// A query resolved against a model: columns instead of key paths, no types.
///
/// Made once per query; the rows never look at a key path.
final class QueryPlan: Sendable {
  let table: Table
  let filter: ResolvedFilter?
  /// What the filter looks at through to-one references.
  let joins: [Join]
  /// What the filter asks of to-many and many-to-many relationships.
  let related: [RelatedRows]
  let order: RecordOrder
  let limit: Int?
  let offset: Int
  /// Without this row the query is empty.
  let root: PlannedRoot?
  /// The links that lead to the rows.
  let links: PlannedLinks?
  /// An order that no column has; its cell comes after those of the table.
  let ranking: ResolvedRanking?
  /// The searches of full text in the filter.
  let searches: [ResolvedSearch]
  /// Whether the query has no rows, whatever the store has: nothing need be read.
  let isNever: Bool

  convenience init(everyRowOf table: Table) { self.init(table, nil) }

  /// The rows of a table that meet a filter of its own columns, by key.
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
    isNever = filter?.isNever == true
  }

  /// The same query with another root, other links or another filter.
  private init(
    _ plan: QueryPlan, root: PlannedRoot?, links: PlannedLinks?, filter: ResolvedFilter?
  ) {
    table = plan.table
    self.filter = filter
    joins = plan.joins
    related = plan.related
    order = plan.order
    limit = plan.limit
    offset = plan.offset
    self.root = root
    self.links = links
    ranking = plan.ranking
    searches = plan.searches
    isNever = filter?.isNever == true
  }

  /// The query without the condition that its root is there.
  var withoutRoot: QueryPlan {
    root == nil ? self : QueryPlan(self, root: nil, links: links, filter: filter)
  }

  /// The query for all rows of its table, linked or not; not for one in the order of links.
  var withoutLinks: QueryPlan { QueryPlan(self, root: nil, links: nil, filter: filter) }

  /// Only those of the rows that meet another filter, too.
  func filtered(by other: ResolvedFilter) -> QueryPlan {
    QueryPlan(self, root: root, links: links, filter: filter.map { .and($0, other) } ?? other)
  }

  init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    let table = model.table(of: E.self)
    var resolver = QueryResolver(model: model, root: table)
    var filter = try query.filter.map { node throws(StoreError) in try resolver.resolve(node) }
    var columns: [RecordOrder.Column] = []
    var collations: [TextCollation] = []
    for sort in query.sorts {
      let attribute = try resolver.resolve(AttributeReference(sort.path))
      var column = RecordOrder.Column(
        position: attribute.column, isDescending: sort.direction == .descending)
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
    let source = try query.source.map { source throws(StoreError) in try resolver.resolve(source) }
    root = source?.root
    links = source?.links
    if links?.end.position != nil {
      columns.append(
        .init(position: table.columns.count + (ranking == nil ? 0 : 1), isDescending: false))
    }
    self.table = table
    isNever = filter?.isNever == true
    // A condition that is never met looks at no other rows; a ranking may, by the search it ranks
    // by.
    let looksAround = !isNever || ranking != nil
    self.filter = looksAround ? filter : .never
    joins = looksAround ? resolver.joins : []
    related = looksAround ? resolver.related : []
    searches = looksAround ? resolver.searches : []
    order = RecordOrder(columns, collations: collations)
    limit = query.limit
    offset = query.offset
  }

  /// The number of rows from the first that decide the result; nil for all.
  var reach: Int? { limit.map { $0 + offset } }

  /// Whether a row's membership depends on nothing but the row.
  var isRowLocal: Bool {
    if case .relevance? = ranking { return false }
    return joins.isEmpty && related.isEmpty && links == nil && searches.isEmpty
  }

  /// Whether the order begins with the ranking.
  var isRankedFirst: Bool {
    ranking != nil && order.columns.first?.position == table.columns.count
  }

  /// The number of cells of a row that decide the result: those of the table, what ranks it if
  /// something does, and the position of its link if that orders the rows.
  var width: Int {
    table.columns.count + (ranking == nil ? 0 : 1) + (links?.end.position == nil ? 0 : 1)
  }

  /// A row of the table with the cells that follow in a row of the query, as far as its link does
  /// not say them.
  ///
  /// - Parameter stored: the row as the query returned it, if it did.
  func row(_ record: Record, like stored: Record? = nil) -> Record {
    ranking?.rank(record, like: stored) ?? record
  }

  /// Whether the change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    changed == table.id || joins.contains { $0.table.id == changed }
      || related.contains { $0.depends(on: changed) } || links?.end.table.id == changed
  }

  // MARK: SQL

  /// The tables that the rows come from.
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

  /// A column of the rows, as SQL; what ranks them has a name if it is selected.
  func columnName(_ position: Int) -> String {
    if position >= table.columns.count {
      if ranking != nil && position == table.columns.count { return ResolvedRanking.name }
      if let links, let place = links.end.position { return links.name(place) }
    }
    return table.sql.sourceColumns[position]
  }

  var orderBy: String {
    " ORDER BY "
      + order.columns.map { "\(orderName($0))\($0.isDescending ? " DESC" : "")" }
      .joined(separator: ", ")
  }

  /// A column in the order that it is sorted in.
  func orderName(_ column: RecordOrder.Column) -> String {
    let collate = column.collation.map {
      " COLLATE \(order.collations[$0].name.quotedIdentifier)"
    }
    return columnName(column.position) + (collate ?? "")
  }

  /// All columns of the rows in order, and the root that a link leads from.
  ///
  /// - Parameters:
  ///   - limit: at most so many rows; nil for all.
  ///   - offset: without the first so many.
  ///   - isSorted: false leaves the order to whoever reads the rows.
  ///   - restriction: leaves only some of the rows.
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

  /// The number of rows, limit and offset respected.
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

  /// The number of rows, or `limit` if there are more.
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
  /// Equal for queries that have the same result: the text and its parameters.
  struct Identity: Sendable, Hashable {
    private let text: String
    private let parameters: [Cell]

    init(_ sql: SQLBuilder) {
      text = sql.text
      parameters = sql.parameters
    }
  }

  var identity: Identity { Identity(select(limit: limit, offset: offset)) }
}
