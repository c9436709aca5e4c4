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

  /// Every row of the table.
  var unfiltered: QueryPlan { QueryPlan(everyRowOf: table) }

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
  }

  /// The same query, whose root is known to be there.
  private init(withoutRootOf plan: QueryPlan) {
    table = plan.table
    filter = plan.filter
    joins = plan.joins
    related = plan.related
    order = plan.order
    limit = plan.limit
    offset = plan.offset
    root = nil
    links = plan.links
  }

  /// The query without the condition that its root is there.
  var withoutRoot: QueryPlan { root == nil ? self : QueryPlan(withoutRootOf: self) }

  init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    let table = model.table(of: E.self)
    var resolver = QueryResolver(model: model, root: table)
    filter = try query.filter.map { node throws(StoreError) in try resolver.resolve(node) }
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
    if let path = query.source?.position {
      let attribute = try resolver.resolve(AttributeReference(path))
      columns.append(.init(position: attribute.column, isDescending: false))
    }
    let source = try query.source.map { source throws(StoreError) in try resolver.resolve(source) }
    root = source?.root
    links = source?.links
    if links?.end.position != nil {
      columns.append(.init(position: table.columns.count, isDescending: false))
    }
    self.table = table
    joins = resolver.joins
    related = resolver.related
    order = RecordOrder(columns, collations: collations)
    limit = query.limit
    offset = query.offset
  }

  /// The number of rows from the first that decide the result; nil for all.
  var reach: Int? { limit.map { $0 + offset } }

  /// Whether a row's membership depends on nothing but the row.
  var isRowLocal: Bool { joins.isEmpty && related.isEmpty && links == nil }

  /// The number of cells of a row that decide the result: those of the table, and the position of
  /// its link if that orders the rows.
  var width: Int { table.columns.count + (links?.end.position == nil ? 0 : 1) }

  /// Whether the change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    changed == table.id || joins.contains { $0.table.id == changed }
      || related.contains { $0.depends(on: changed) } || links?.end.table.id == changed
  }

  // MARK: SQL

  /// The tables that the rows come from.
  var source: String {
    var text = "\(table.name.quotedIdentifier) AS t0"
    if let links {
      let key = table.columns[Table.keyColumn].name.quotedIdentifier
      text += " JOIN \(links.end.table.name.quotedIdentifier) AS l"
      text += " ON t0.\(key) = \(links.name(links.end.target))"
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

  /// A column of the rows, as SQL.
  func columnName(_ position: Int) -> String {
    if let links, let place = links.end.position, position == table.columns.count {
      return links.name(place)
    }
    return "t0.\(table.columns[position].name.quotedIdentifier)"
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
    var columns = (0..<width).map(columnName)
    if let links { columns.append(links.name(links.end.root)) }
    sql.append("SELECT \(columns.joined(separator: ", ")) FROM \(source)")
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
      sql.append("SELECT count(*) FROM (SELECT 1 FROM \(source)")
      append(filterTo: &sql)
      sql.append(limit: limit, offset: offset)
      sql.append(")")
    }
    return sql
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
