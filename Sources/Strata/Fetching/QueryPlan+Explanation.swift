internal import StrataSQLite

extension LayeredFetch {
  /// Returns the explanation of a query.
  func explain<E: Entity>(_ query: Query<E>) async throws(StoreError) -> QueryExplanation {
    let plan = try QueryPlan(query, model)
    let sql = plan.select(limit: plan.limit, offset: plan.offset)
    let touches = touches(plan)
    return try await snapshot.read { reader, connection throws(StoreError) in
      let steps = try connection.steps(sql, plan)
      return QueryExplanation(
        sql: sql.text, steps: steps,
        warnings: try plan.warnings(steps.flatMap(\.all)) { table throws(StoreError) in
          let count = QueryPlan(everyRowOf: table).count()
          return Int(try connection.prepared(count, reader.model).firstInteger() ?? 0)
        },
        includesUnsavedEdits: touches)
    }
  }
}

extension Connection {
  /// Returns the steps of a query's plan, as SQLite reports them.
  fileprivate func steps(
    _ sql: SQLBuilder, _ plan: QueryPlan
  ) throws(StoreError) -> [QueryExplanation.Step] {
    try translatingErrors { () throws(SQLiteError) in try self.plan(of: sql.text) }.map {
      QueryExplanation.Step($0, plan)
    }
  }
}

extension QueryExplanation.Step {
  /// Makes a step from SQLite's words: `SCAN t0`, `SEARCH t0 USING COVERING INDEX name (column=?)`.
  init(_ step: PlanStep, _ plan: QueryPlan) {
    self.init(step.detail, plan)
    steps = step.steps.map { QueryExplanation.Step($0, plan) }
  }

  init(_ detail: String, _ plan: QueryPlan) {
    self.detail = detail
    let words = detail.split(separator: " ")
    let reads = words.first == "SCAN" || words.first == "SEARCH"
    table = reads && words.count > 1 ? plan.rows(named: words[1])?.table.name : nil
    // The index of a virtual table is a number of its own, and an automatic index has no name.
    guard let name = detail.firstRange(of: " INDEX "), !detail.contains(" VIRTUAL TABLE INDEX "),
      !detail.contains(" USING AUTOMATIC ")
    else {
      index = nil
      return
    }
    // The searched columns come last, in parentheses. A name may have any character.
    let rest = detail[name.upperBound...]
    let end = rest.hasSuffix(")") ? rest.ranges(of: " (").last?.lowerBound : nil
    index = String(rest[..<(end ?? rest.endIndex)])
  }
}

/// The table that an alias stands for in a query's SQL, and the condition on its rows.
private typealias AliasedRows = (table: Table, filter: ResolvedFilter?)

extension QueryPlan {
  fileprivate func rows(named alias: some StringProtocol) -> AliasedRows? {
    if alias == "t0" { return (table, filter) }
    if alias == "l" { return links.map { ($0.end.table, nil) } }
    return joins.rows(named: alias) ?? related.rows(named: alias)
  }
}

extension [Join] {
  fileprivate func rows(named alias: some StringProtocol) -> AliasedRows? {
    first { $0.alias == alias }.map { ($0.table, nil) }
  }
}

extension [RelatedRows] {
  fileprivate func rows(named alias: some StringProtocol) -> AliasedRows? {
    for rows in self {
      if rows.alias == alias { return (rows.table, rows.filter) }
      if case .links(let end) = rows.kind, rows.alias + "l" == alias { return (end.table, nil) }
      if let found = rows.joins.rows(named: alias) ?? rows.related.rows(named: alias) {
        return found
      }
    }
    return nil
  }
}

extension QueryPlan {
  fileprivate func warnings(
    _ steps: [QueryExplanation.Step], countRows: (Table) throws(StoreError) -> Int
  ) throws(StoreError) -> [QueryExplanation.Warning] {
    var warnings: [QueryExplanation.Warning] = []
    let order = OrderIndex(for: self)?.missing ?? []
    for step in steps where step.isScan || step.isAutomatic {
      guard let alias = step.detail.split(separator: " ").dropFirst().first,
        let scanned = rows(named: alias)
      else { continue }
      // Without a filter the query wants every row. With an index in the query's order, the limit
      // ends the scan.
      let isWanted = filter == nil || (limit != nil && step.index != nil)
      if alias == "t0" && isWanted && !step.isAutomatic { continue }
      let count = try countRows(scanned.table).grouped
      let verb = step.isAutomatic ? "makes an index of" : "looks at"
      let columns = scanned.filter?.comparedColumns ?? []
      // One index for the filter and the order serves better than an index for each of them.
      let isBoth = alias == "t0" && order.count > 1 && columns.contains(order[0])
      warnings.append(
        QueryExplanation.Warning(
          kind: .fullScan, message: "\(verb) every row of \(scanned.table.entity) (\(count))",
          isBoth ? .compound(order, of: table) : .each(scanned.table.unindexed(columns))))
    }
    if steps.contains(where: \.isSort) {
      warnings.append(
        QueryExplanation.Warning(
          kind: .sort, message: "sorts the rows that it finds",
          order.count > 1 ? .compound(order, of: table) : .each(table.unindexed(order))))
    }
    return warnings
  }
}

extension Table {
  /// Returns the names of the columns with which no index begins, each name once.
  fileprivate func unindexed(_ positions: [Int]) -> [String] {
    let first = Set(indexes.compactMap(\.columns.first))
    return AttributeSet(positions).positions.filter { column in
      column != Table.keyColumn && !first.contains(columns[column].name)
    }.map(attributeName)
  }
}

extension QueryExplanation.Advice {
  /// Creates the advice to add one index of some columns.
  fileprivate static func compound(_ columns: [Int], of table: Table) -> Self {
    .compound(columns.map { table.columns[$0].name }, of: table.entity)
  }
}

extension ResolvedFilter {
  /// The table's own columns that every row of the result must compare with values.
  ///
  /// An index of one of these columns could find the rows.
  fileprivate var comparedColumns: [Int] {
    switch self {
    case .and(let a, let b): a.comparedColumns + b.comparedColumns
    case .compare(let attribute, let comparison, _) where comparison != .notEqual: attribute.own
    case .isIn(.attribute(let attribute), _), .text(.attribute(let attribute), .prefix, _):
      attribute.own
    default: []
    }
  }
}

extension ResolvedAttribute {
  /// The column, if it belongs to the filter's own table.
  fileprivate var own: [Int] { join == 0 ? [column] : [] }
}

extension Int {
  /// The number with commas between thousands.
  fileprivate var grouped: String {
    let digits = String(self)
    var text = ""
    for (position, digit) in digits.enumerated() {
      if position > 0 && (digits.count - position).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return text
  }
}
