internal import StrataSQLite

/// A resolver that turns key paths into columns and collects the joins and related rows they need.
///
/// A resolver works on a single table, which is the query's table or a relationship's target.
struct QueryResolver {
  let model: Model
  let root: Table
  private(set) var joins: [Join] = []
  private(set) var related: [RelatedRows] = []
  private(set) var searches: [ResolvedSearch] = []
  /// The table's alias in SQL.
  private let alias: String
  /// The number of tables that have an alias so far, in the whole query.
  private var tableCount: Int

  init(model: Model, root: Table) { self.init(model, root, tableCount: 0) }

  private init(_ model: Model, _ root: Table, tableCount: Int) {
    self.model = model
    self.root = root
    alias = "t\(tableCount)"
    self.tableCount = tableCount + 1
  }

  // MARK: Filters

  mutating func resolve(_ node: FilterNode) throws(StoreError) -> ResolvedFilter {
    switch node {
    case .and(let junction):
      return .and(try resolve(junction.conditions))
    case .or(let junction):
      return .or(try resolve(junction.conditions).mergingEqualities())
    case .not(let filter): return .not(try resolve(filter))
    case .compare(.attribute(let reference), let comparison, .literal(let cell), nil):
      let attribute = try resolve(reference)
      if cell != .null, comparison.isEquality, let spelt = spelt(attribute) {
        return .relate(.spelt(spelt), comparison, .literal(cell))
      }
      return .compare(attribute, comparison, try literal(cell, for: reference.path))
    case .compare(let a, let comparison, let b, let collation):
      let (a, b) = (try resolve(a), try resolve(b))
      return comparison.isEquality
        ? .relate(value(of: a), comparison, value(of: b), collation)
        : .relate(a, comparison, b, collation)
    case .isIn(let expression, let cells):
      let resolved = try resolve(expression)
      return .isIn(value(of: resolved), cells)
    case .text(let expression, let match, let text):
      return .text(try resolve(expression), match, try literal(.text(text), for: "the text"))
    case .fullText(let search): return .fullText(try resolve(search))
    case .place(let place, let area): return .place(try resolve(place, area), area)
    case .any(let relation, let filter): return .any(try resolve(relation, filter))
    case .invalid(let name, let error):
      throw .query("\(name): \(error.message)", entity: root.entity)
    }
  }

  private mutating func resolve(_ nodes: [FilterNode]) throws(StoreError) -> [ResolvedFilter] {
    var filters: [ResolvedFilter] = []
    filters.reserveCapacity(nodes.count)
    for node in nodes { filters.append(try resolve(node)) }
    return filters
  }

  // MARK: Expressions

  mutating func resolve(_ node: ExpressionNode) throws(StoreError) -> ResolvedExpression {
    switch node {
    case .attribute(let reference): return .attribute(try resolve(reference))
    case .literal(let cell): return .literal(cell)
    case .arithmetic(let operation, let a, let b, _):
      return .arithmetic(operation, try number(a), try number(b))
    case .coalesced(let a, let b, _): return .coalesced(try resolve(a), try resolve(b))
    case .conditional(let condition, let a, let b, _):
      return .conditional(try resolve(condition), try resolve(a), try resolve(b))
    case .folded(let text): return .folded(try resolve(text))
    case .byteCount(let text): return .byteCount(try resolve(text))
    case .count(let relation, let filter): return .count(try resolve(relation, filter))
    case .invalid(let name, let error):
      throw .query("\(name): \(error.message)", entity: root.entity)
    }
  }

  /// Returns the expression as it is tested for equality.
  private func value(of expression: ResolvedExpression) -> ResolvedExpression {
    switch expression {
    case .attribute(let attribute): spelt(attribute).map { .spelt($0) } ?? expression
    case .coalesced(let a, let b): .coalesced(value(of: a), value(of: b))
    case .conditional(let condition, let a, let b):
      .conditional(condition, value(of: a), value(of: b))
    default: expression
    }
  }

  private func spelt(_ attribute: ResolvedAttribute) -> SpeltAttribute? {
    SpeltAttribute(attribute, of: table(attribute.join))
  }

  /// Resolves an operand of arithmetic, which must be stored as a number.
  ///
  /// SQLite would convert a text to a number by rules of its own.
  private mutating func number(_ node: ExpressionNode) throws(StoreError) -> ResolvedExpression {
    let operand = try resolve(node)
    if case .attribute(let attribute) = operand {
      let column = table(attribute.join).columns[attribute.column]
      guard column.storage == .integer || column.storage == .real else {
        throw .query("\(node.name) is not stored as a number", entity: root.entity)
      }
    }
    return operand
  }

  /// Returns the table with a number, as in ``Join/source``.
  private func table(_ join: Int) -> Table { join == 0 ? root : joins[join - 1].table }

  mutating func resolve(_ reference: AttributeReference) throws(StoreError) -> ResolvedAttribute {
    let join = try follow(reference.hops)
    return try attribute(reference.path, of: join)
  }

  private func attribute(
    _ path: SendablePath, of join: Int
  ) throws(StoreError) -> ResolvedAttribute {
    let column = try table(join).column(of: path)
    return attribute(column, of: join)
  }

  /// Returns the alias of the table with a number.
  private func alias(_ join: Int) -> String { join == 0 ? alias : joins[join - 1].alias }

  private func attribute(_ column: Int, of join: Int) -> ResolvedAttribute {
    let table = table(join)
    let name =
      join == 0 && alias == "t0"
      ? table.sql.sourceColumns[column]
      : "\(alias(join)).\(table.columns[column].name.quotedIdentifier)"
    return ResolvedAttribute(join: join, column: column, name: name)
  }

  private func literal(_ cell: Cell, for name: Any) throws(StoreError) -> Literal {
    do { return try Literal(cell) } catch {
      throw .query("\(name): \(error.message)", entity: root.entity)
    }
  }

  // MARK: Words and places

  private mutating func resolve(
    _ search: FullTextReference
  ) throws(StoreError) -> ResolvedSearch {
    let join = try follow(search.hops)
    let table = table(join)
    guard let found = table.search, let index = found.text else {
      throw .query("\(table.entity) has no attribute that is .fullText()", entity: table.entity)
    }
    if let flaw = search.text.flaw(in: index.described) { throw .query(flaw, entity: table.entity) }
    var columns: [String] = []
    for path in search.paths {
      let column = try table.column(of: path)
      guard index.columns.contains(column) else {
        throw .query("\(table.attributeName(column)) is not .fullText()", entity: table.entity)
      }
      columns.append(table.columns[column].name)
    }
    let resolved = ResolvedSearch(
      number: searches.count, join: join, index: index,
      expression: search.text.expression(for: index.described, in: columns),
      parts: search.text.parts(in: index.described), rowID: "\(alias(join)).\(found.rowID)")
    searches.append(resolved)
    return resolved
  }

  /// Finds the columns of a place and its index.
  mutating func resolve(
    _ place: PlaceReference, _ area: PlaceArea
  ) throws(StoreError) -> ResolvedPlace {
    let join = try follow(place.hops)
    let table = table(join)
    if let flaw = area.flaw { throw .query(flaw, entity: table.entity) }
    let latitude = try attribute(place.latitude, of: join)
    let longitude = try attribute(place.longitude, of: join)
    let places = table.search?.places.first {
      $0.latitude == latitude.column && $0.longitude == longitude.column
    }
    guard let search = table.search, let places else {
      throw .query(
        "the schema of \(table.entity) does not list the place of "
          + "\(table.columns[latitude.column].name) and \(table.columns[longitude.column].name)",
        entity: table.entity)
    }
    return ResolvedPlace(
      latitude: latitude, longitude: longitude, index: places.index,
      rowID: "\(alias(join)).\(search.rowID)")
  }

  // MARK: Relationships

  /// Joins the tables that the references lead to, and returns the last join's number.
  private mutating func follow(_ hops: [AttributeReference.Hop]) throws(StoreError) -> Int {
    var join = 0
    for hop in hops {
      let column = try table(join).column(of: hop.path)
      join = self.join(from: join, column, try model.table(of: hop.target, for: root.entity))
    }
    return join
  }

  private mutating func join(from source: Int, _ column: Int, _ table: Table) -> Int {
    if let known = joins.firstIndex(where: { $0.source == source && $0.column == column }) {
      return known + 1
    }
    joins.append(Join(source: source, column: column, table: table, alias: "t\(tableCount)"))
    tableCount += 1
    return joins.count
  }

  private mutating func resolve(
    _ relation: RelationReference, _ filter: FilterNode?
  ) throws(StoreError) -> RelatedRows {
    let source = try follow(relation.hops)
    let target = try model.table(of: relation.target, for: root.entity)
    let kind: RelatedRows.Kind
    switch relation.kind {
    case .toMany(let inverse): kind = .toMany(column: try target.column(of: inverse))
    case .links(let link): kind = .links(try end(of: link))
    }
    var inner = QueryResolver(model, target, tableCount: tableCount)
    let condition = try filter.map { node throws(StoreError) in try inner.resolve(node) }
    tableCount = inner.tableCount
    let rows = RelatedRows(
      index: related.count, source: source, sourceKey: attribute(Table.keyColumn, of: source).name,
      kind: kind, table: target, alias: inner.alias, joins: inner.joins, related: inner.related,
      searches: inner.searches, filter: condition)
    related.append(rows)
    return rows
  }

  /// Returns the links as one end of a many-to-many relationship reads them.
  func end(of link: LinkReference) throws(StoreError) -> JoinTable.End {
    guard let end = model.join(link) else {
      throw .query(
        "no schema of this stack lists the relationship of "
          + "\(link.definition.owner) and \(link.definition.target)", entity: root.entity)
    }
    return end
  }
}

extension Model {
  /// Returns the table of a type that a query of an entity names.
  func table(of type: any Entity.Type, for entity: String) throws(StoreError) -> Table {
    guard let table = table(ofType: type) else {
      throw .query("\(type) is not in this stack: list it in Stack.open", entity: entity)
    }
    return table
  }
}

extension Table {
  /// Returns the column of an attribute.
  func column(of path: SendablePath) throws(StoreError) -> Int {
    guard let column = column(for: path) else {
      throw .noAttribute(path, of: entity)
    }
    return column
  }

  /// Returns the columns of attributes.
  func columns(_ paths: [SendablePath]) throws(StoreError) -> [Int] {
    try paths.map { path throws(StoreError) in try column(of: path) }
  }
}

extension StoreError {
  /// Returns the error for a property that the schema does not list.
  static func noAttribute(_ path: SendablePath, of entity: String) -> StoreError {
    StoreError(
      .invalidQuery,
      "the query uses \((path as AnyKeyPath).shown(of: entity)), which is no attribute: the schema "
        + "of \(entity) does not list it, or it is computed",
      advice: "list it as an attribute, or write in the query what it computes; sections can be "
        + "computed: view.live(query, section: { $0.… })", entity: entity)
  }
}

extension AnyKeyPath {
  /// Returns the property for messages, such as `\Song.title`.
  ///
  /// Swift knows the name of a stored property. It knows the name of a computed one only if the
  /// program has its symbols, and writes an address otherwise.
  package func shown(of entity: String) -> String {
    let name = "\(self)"
    let isKnown = !name.contains("<computed") && !name.contains("<offset")
    return isKnown ? name : "a property of \(entity) (\(type(of: self).valueType))"
  }
}
