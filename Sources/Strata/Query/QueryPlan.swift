internal import StrataSQLite

/// A query resolved against a model: columns instead of key paths, no types.
///
/// Made once per query; the rows never look at a key path.
final class QueryPlan: Sendable {
  let table: Table
  let filter: ResolvedFilter?
  let joins: [Join]
  let order: RecordOrder
  let limit: Int?
  let offset: Int

  /// A table joined through a to-one reference.
  struct Join: Sendable {
    /// The join that has the reference: 0 is the query's own table.
    let source: Int
    let column: Int
    let table: Table
  }

  /// Every row of the table.
  var unfiltered: QueryPlan { QueryPlan(everyRowOf: table) }

  init(everyRowOf table: Table) {
    self.table = table
    filter = nil
    joins = []
    order = .byKey
    limit = nil
    offset = 0
  }

  init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    let table = model.table(of: E.self)
    var resolver = QueryResolver(model: model, root: table)
    filter = try query.filter.map { node throws(StoreError) in try resolver.resolve(node) }
    var columns: [RecordOrder.Column] = []
    for sort in query.sorts {
      let attribute = try resolver.resolve(AttributeReference(sort.path))
      columns.append(.init(position: attribute.column, isDescending: sort.order == .descending))
    }
    self.table = table
    joins = resolver.joins
    order = RecordOrder(columns)
    limit = query.limit
    offset = query.offset
  }

  /// The number of rows from the first that decide the result; nil for all.
  var reach: Int? { limit.map { $0 + offset } }

  /// Whether a row's membership depends on nothing but the row.
  var isRowLocal: Bool { joins.isEmpty }

  /// Whether the change of a table can change the result.
  func depends(on changed: TableID) -> Bool {
    changed == table.id || joins.contains { $0.table.id == changed }
  }

  // MARK: SQL

  private var source: String {
    var text = "\(table.name.quotedIdentifier) AS t0"
    for (index, join) in joins.enumerated() {
      let key = join.table.columns[Table.keyColumn].name.quotedIdentifier
      let reference =
        (join.source == 0 ? table : joins[join.source - 1].table).columns[join.column].name
      text += " LEFT JOIN \(join.table.name.quotedIdentifier) AS t\(index + 1)"
      text += " ON t\(index + 1).\(key) = t\(join.source).\(reference.quotedIdentifier)"
    }
    return text
  }

  private func append(filterTo sql: inout SQLBuilder) {
    guard let filter else { return }
    sql.append(" WHERE ")
    filter.append(to: &sql)
  }

  private var orderBy: String {
    " ORDER BY "
      + order.columns.map {
        "t0.\(table.columns[$0.position].name.quotedIdentifier)\($0.isDescending ? " DESC" : "")"
      }.joined(separator: ", ")
  }

  /// All columns of the rows, in order.
  ///
  /// - Parameters:
  ///   - limit: at most so many rows; nil for all.
  ///   - offset: without the first so many.
  ///   - isSorted: false leaves the order to whoever reads the rows.
  func select(limit: Int?, offset: Int, isSorted: Bool = true) -> SQLBuilder {
    var sql = SQLBuilder()
    let columns = table.columns.map { "t0.\($0.name.quotedIdentifier)" }
    sql.append("SELECT \(columns.joined(separator: ", ")) FROM \(source)")
    append(filterTo: &sql)
    if isSorted { sql.append(orderBy) }
    if limit != nil || offset > 0 {
      sql.append(" LIMIT ")
      sql.append(parameter: .integer(Int64(limit ?? -1)))
    }
    if offset > 0 {
      sql.append(" OFFSET ")
      sql.append(parameter: .integer(Int64(offset)))
    }
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
      sql.append(" LIMIT ")
      sql.append(parameter: .integer(Int64(limit ?? -1)))
      sql.append(" OFFSET ")
      sql.append(parameter: .integer(Int64(offset)))
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
