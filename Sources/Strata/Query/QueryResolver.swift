/// Turns key paths into columns and collects the joins that they need.
struct QueryResolver {
  let model: Model
  let root: Table
  private(set) var joins: [QueryPlan.Join] = []

  init(model: Model, root: Table) {
    self.model = model
    self.root = root
  }

  mutating func resolve(_ node: FilterNode) throws(StoreError) -> ResolvedFilter {
    switch node {
    case .and(let a, let b): .and(try resolve(a), try resolve(b))
    case .or(let a, let b): .or(try resolve(a), try resolve(b))
    case .not(let filter): .not(try resolve(filter))
    case .compare(let attribute, let comparison, let cell):
      .compare(try resolve(attribute), comparison, try literal(cell, for: attribute))
    case .isIn(let attribute, let cells):
      .isIn(try resolve(attribute), try list(cells))
    case .text(let attribute, let match, let text):
      .text(try resolve(attribute), match, try literal(.text(text), for: attribute))
    case .invalid(let attribute, let error):
      throw .query("\(attribute.path): \(error.message)", entity: root.entity)
    }
  }

  mutating func resolve(_ reference: AttributeReference) throws(StoreError) -> ResolvedAttribute {
    var table = root
    var join = 0
    for hop in reference.hops {
      let column = try column(hop.path, of: table)
      guard let next = model.table(ofType: hop.target) else {
        throw .query("\(hop.target) is not in this stack", entity: root.entity)
      }
      join = self.join(from: join, column, next)
      table = next
    }
    let column = try column(reference.path, of: table)
    let name = "t\(join).\(table.columns[column].name.quotedIdentifier)"
    return ResolvedAttribute(join: join, column: column, name: name)
  }

  private mutating func join(from source: Int, _ column: Int, _ table: Table) -> Int {
    if let known = joins.firstIndex(where: { $0.source == source && $0.column == column }) {
      return known + 1
    }
    joins.append(QueryPlan.Join(source: source, column: column, table: table))
    return joins.count
  }

  private func column(_ path: SendablePath, of table: Table) throws(StoreError) -> Int {
    guard let column = table.column(for: path) else {
      throw .query("\(path) is no attribute of \(table.entity)", entity: table.entity)
    }
    return column
  }

  private func literal(
    _ cell: Cell, for attribute: AttributeReference
  ) throws(StoreError) -> Literal {
    do { return try Literal(cell) } catch {
      throw .query("\(attribute.path): \(error.message)", entity: root.entity)
    }
  }

  func list(_ cells: [Cell]) throws(StoreError) -> Set<Cell> {
    let values = Set(cells)
    guard values.count <= 32_000 else {
      throw .query(
        "isIn has \(values.count) values, more than the 32,000 that SQLite takes",
        entity: root.entity)
    }
    return values
  }
}

extension StoreError {
  static func query(_ message: String, entity: String) -> StoreError {
    StoreError(.invalidQuery, message, advice: "change the query", entity: entity)
  }
}
