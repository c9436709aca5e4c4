/// Rows that an import notes when it begins, because its feed may not have them any more.
package struct ImportScope: Sendable {
  enum Purpose {
    /// Every row of the table: those that the feed does not have are deleted.
    case wholeTable
    /// The same, of the rows of a query.
    case query
    /// Rows that a delete rule may take along, noted to know whether they have changed meanwhile.
    case dependents
  }

  let plan: QueryPlan
  let purpose: Purpose

  package var table: Table { plan.table }

  package init(everyRowOf table: Table) {
    plan = QueryPlan(everyRowOf: table)
    purpose = .wholeTable
  }

  package init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    plan = try QueryPlan(query, model)
    purpose = .query
  }

  private init(dependentsIn table: Table) {
    plan = QueryPlan(everyRowOf: table)
    purpose = .dependents
  }

  /// Scopes in the order in which their absent rows are deleted: what refers to others before
  /// those, so that a rule that holds a row for another one's sake finds that gone.
  package static func ordered(_ scopes: [ImportScope], _ model: Model) -> [ImportScope] {
    var order: [TableID] = []
    var seen: Set<TableID> = []
    func visit(_ table: TableID) {
      guard seen.insert(table).inserted else { return }
      for referrer in model[table].referrers { visit(referrer.table) }
      order.append(table)
    }
    for scope in scopes { visit(scope.table.id) }
    return order.flatMap { table in scopes.filter { $0.table.id == table } }
  }

  /// The rows besides those of some scopes that go with them by a delete rule.
  ///
  /// Links are not among them: a link to what goes has nothing left to say.
  static func dependents(of scopes: [ImportScope], _ model: Model) -> [ImportScope] {
    var seen = Set(scopes.filter { $0.purpose == .wholeTable }.map(\.table.id))
    var dependents: [ImportScope] = []
    var rest = scopes.map(\.table)
    while let table = rest.popLast() {
      for referrer in table.referrers where referrer.rule == .cascade {
        let next = model[referrer.table]
        guard !next.isJoin, seen.insert(next.id).inserted else { continue }
        dependents.append(ImportScope(dependentsIn: next))
        rest.append(next)
      }
    }
    return dependents
  }
}
