/// Finds the live results that an edit can concern, and those that may have a row of the store.
struct ResultIndex: Sendable {
  private var queries = QueryIndex<Int>()
  private var ofTable: [TableID: Set<Int>] = [:]

  mutating func add(_ number: Int, _ plan: LivePlan) {
    queries.add(number, plan)
    ofTable[plan.table.id, default: []].insert(number)
  }

  mutating func remove(_ number: Int, _ plan: LivePlan) {
    queries.remove(number, plan)
    ofTable[plan.table.id]?.remove(number)
  }

  /// Returns the results with rows of a table.
  func results(of table: TableID) -> Set<Int> { ofTable[table] ?? [] }

  /// Returns the results that demand a value of a row, and so have the row of its key.
  func results(demanding row: Record?, of key: RecordKey, in table: TableID) -> Set<Int> {
    queries.queries(concernedBy: key, in: table, row).intersection(results(of: table))
  }

  /// Returns the results that edits can concern, with the edited keys of their table that concern them.
  ///
  /// - Complexity: O(*k* + *q*) for *k* keys and *q* returned results, besides the copies of keys.
  func results(concernedBy edits: [TableID: ShownEdits]) -> [Int: [RecordKey]] {
    var concerned: [Int: [RecordKey]] = [:]
    for (table, edits) in edits {
      let ofTable = results(of: table)
      let all = edits.hasUnknown ? ofTable : queries.queries(concernedByAnyOf: table)
      for number in all { concerned[number, default: []] += edits.keys }
      for (key, rows) in zip(edits.keys, edits.rows) {
        for number in queries.queries(concernedBy: key, in: table, rows.before, rows.after)
        where !all.contains(number) {
          // The root of a result is no row of it.
          concerned[number, default: []] += ofTable.contains(number) ? [key] : []
        }
      }
    }
    return concerned
  }
}
