internal import StrataSQLite

extension LayeredFetch {
  /// How a query is run.
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
          let statement = try connection.prepared(count, reader.model)
          defer { statement.reset() }
          _ = try translatingErrors { () throws(SQLiteError) in try statement.step() }
          return Int(statement.integer(0))
        },
        includesUnsavedEdits: touches)
    }
  }
}

extension Connection {
  /// The steps of a query's plan as SQLite tells them.
  fileprivate func steps(
    _ sql: SQLBuilder, _ plan: QueryPlan
  ) throws(StoreError) -> [QueryExplanation.Step] {
    var children: [Int64: [(id: Int64, step: QueryExplanation.Step)]] = [:]
    try translatingErrors { () throws(SQLiteError) in
      let statement = try prepare("EXPLAIN QUERY PLAN \(sql.text)")
      while try statement.step() {
        let step = QueryExplanation.Step(statement.string(3), plan)
        children[statement.integer(1), default: []].append((statement.integer(0), step))
      }
    }
    func tree(_ parent: Int64) -> [QueryExplanation.Step] {
      (children[parent] ?? []).map { id, step in
        var step = step
        step.steps = tree(id)
        return step
      }
    }
    return tree(0)
  }
}

extension QueryExplanation.Step {
  /// A step in SQLite's words: `SCAN t0`, `SEARCH t0 USING COVERING INDEX name (column=?)`.
  fileprivate init(_ detail: String, _ plan: QueryPlan) {
    self.detail = detail
    let words = detail.split(separator: " ")
    let reads = words.first == "SCAN" || words.first == "SEARCH"
    table = reads && words.count > 1 ? plan.table(named: String(words[1]))?.name : nil
    guard let name = detail.firstRange(of: " INDEX ") else {
      index = nil
      return
    }
    // The columns that are looked for come last, in parentheses; a name may have any character.
    let rest = detail[name.upperBound...]
    let end = rest.hasSuffix(")") ? rest.ranges(of: " (").last?.lowerBound : nil
    index = String(rest[..<(end ?? rest.endIndex)])
  }
}

extension QueryPlan {
  /// The table that an alias stands for in the query's SQL.
  fileprivate func table(named alias: String) -> Table? {
    if alias == "t0" { return table }
    if alias == "l" { return links?.end.table }
    guard alias.hasPrefix("t"), let number = Int(alias.dropFirst()), joins.indices ~= number - 1
    else { return nil }
    return joins[number - 1].table
  }

  fileprivate func warnings(
    _ steps: [QueryExplanation.Step], countRows: (Table) throws(StoreError) -> Int
  ) throws(StoreError) -> [QueryExplanation.Warning] {
    var warnings: [QueryExplanation.Warning] = []
    for step in steps where step.isScan {
      // Without a filter every row is wanted; through an index in order, the limit ends the scan.
      if step.table == nil || filter == nil || (limit != nil && step.index != nil) { continue }
      guard let alias = step.detail.split(separator: " ").dropFirst().first,
        let scanned = self.table(named: String(alias))
      else { continue }
      let count = try countRows(scanned)
      warnings.append(
        QueryExplanation.Warning(
          kind: .fullScan, message: "looks at every row of \(scanned.entity) (\(count.grouped))",
          attributes: scanned === table ? unindexed(filter?.comparedColumns ?? []) : []))
    }
    if steps.contains(where: \.isSort) {
      let first = order.columns[0].position
      let isOwn = first < table.columns.count
      warnings.append(
        QueryExplanation.Warning(
          kind: .sort, message: "sorts the rows that it finds",
          attributes: isOwn ? unindexed([first]) : []))
    }
    return warnings
  }

  /// Those of the table's columns with which no index begins.
  private func unindexed(_ columns: [Int]) -> [String] {
    columns.filter { column in
      column != Table.keyColumn && !table.columns[column].isIndexed
        && !table.uniques.contains { $0.first == column }
    }.map(table.attributeName)
  }
}

extension ResolvedFilter {
  /// The table's own columns that every row of the result must compare with a value: an index of one
  /// of them could find the rows.
  fileprivate var comparedColumns: [Int] {
    if case .and(let a, let b) = self { return a.comparedColumns + b.comparedColumns }
    guard case .compare(let attribute, let comparison, _) = self, attribute.join == 0,
      comparison != .notEqual
    else { return [] }
    return [attribute.column]
  }
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
