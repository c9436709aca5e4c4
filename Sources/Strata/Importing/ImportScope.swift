/// Rows that an import notes when it begins, because its feed may lack them.
package struct ImportScope: Sendable {
  enum Purpose {
    /// Every row of the table; rows that the feed lacks are deleted.
    case wholeTable
    /// The rows of a query; rows that the feed lacks are deleted.
    case query
    /// Rows that a delete rule may delete with an absent row, noted to detect later changes.
    case dependents
  }

  let plan: QueryPlan
  let purpose: Purpose

  package var table: Table { plan.table }
  package var isWholeTable: Bool { if case .wholeTable = purpose { true } else { false } }

  package init(everyRowOf table: Table) { self.init(everyRowOf: table, for: .wholeTable) }

  private init(everyRowOf table: Table, for purpose: Purpose) {
    plan = QueryPlan(everyRowOf: table)
    self.purpose = purpose
  }

  package init<E: Entity>(_ query: Query<E>, _ model: Model) throws(StoreError) {
    plan = try QueryPlan(query, model)
    purpose = .query
  }

  /// Returns scopes in the order in which their absent rows are deleted.
  ///
  /// Referring tables come first. So a rule that keeps a row because of a referring row finds that
  /// the referring row is deleted.
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

  /// Returns scopes for further rows that delete rules may delete with the rows of some scopes.
  ///
  /// Links are not among the rows, because a link to a deleted row says nothing.
  static func dependents(of scopes: [ImportScope], _ model: Model) -> [ImportScope] {
    var seen = Set(scopes.filter { $0.purpose == .wholeTable }.map(\.table.id))
    var dependents: [ImportScope] = []
    var rest = scopes.map(\.table)
    while let table = rest.popLast() {
      for referrer in table.referrers where referrer.rule == .cascade {
        let next = model[referrer.table]
        guard !next.isJoin, seen.insert(next.id).inserted else { continue }
        dependents.append(ImportScope(everyRowOf: next, for: .dependents))
        rest.append(next)
      }
    }
    return dependents
  }
}
