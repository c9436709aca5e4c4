/// Finds the live results that an edit can concern, and those that may have a row of the store.
struct ResultIndex: Sendable {
  private var queries = QueryIndex<Int>()
  private var ofTable: [TableID: Set<Int>] = [:]

  mutating func add(_ number: Int, _ plan: LivePlan) {
    queries.add(number, plan)
    for table in plan.tables { ofTable[table.id, default: []].insert(number) }
  }

  mutating func remove(_ number: Int, _ plan: LivePlan) {
    queries.remove(number, plan)
    for table in plan.tables { ofTable[table.id]?.remove(number) }
  }

  /// Returns the results with rows of a table.
  func results(of table: TableID) -> Set<Int> { ofTable[table] ?? [] }

  /// Returns the results that demand a value of a row, and so have the row of its key.
  func results(demanding row: Record?, of key: RecordKey, in table: TableID) -> Set<Int> {
    queries.queries(concernedBy: key, in: table, row).intersection(results(of: table))
  }

  /// Returns the results that edits can concern, with the edited keys of their tables that concern them.
  ///
  /// - Complexity: O(*k* + *q*) for *k* keys and *q* returned results, besides the copies of keys.
  func results(
    concernedBy edits: [TableID: ShownEdits]
  ) -> [Int: [TableID: Set<RecordKey>]] {
    var concerned: [Int: [TableID: Set<RecordKey>]] = [:]
    for (table, edits) in edits {
      let ofTable = results(of: table)
      let all = edits.hasUnknown ? ofTable : queries.queries(concernedByAnyOf: table)
      let keys = Set(edits.keys)
      for number in all { concerned[number, default: [:]][table] = keys }
      for (key, rows) in zip(edits.keys, edits.rows) {
        for number in queries.queries(concernedBy: key, in: table, rows.before, rows.after)
        where !all.contains(number) {
          // The root of a result is no row of it.
          concerned[number, default: [:]][table, default: []]
            .formUnion(ofTable.contains(number) ? [key] : [])
        }
      }
    }
    return concerned
  }
}
