/// The rows of a query that a context's layers decide, as the store has them and as the layers show
/// them.
///
/// All other rows of the query are the store's. So an answer of the store is corrected by these rows,
/// and no other row is read for it: O(*k* log *n*) for *k* edited rows.
struct EditedRows: Sendable {
  /// The keys whose rows the layers decide.
  var keys: Set<RecordKey>
  /// The query's rows with one of the keys in the store, in any order.
  var stored: [Record]
  /// The query's rows with one of the keys that the layers show, in any order.
  var shown: [Record]

  var isEmpty: Bool { stored.isEmpty && shown.isEmpty }

  /// Returns the rows that differ in some cells, or that only one side has.
  func differing(in cells: AttributeSet) -> EditedRows {
    let before = Dictionary(byKey: stored)
    let after = Dictionary(byKey: shown)
    let same = keys.filter { key in
      guard let old = before[key], let new = after[key] else { return false }
      return new.differences(from: old).isDisjoint(with: cells)
    }
    return EditedRows(
      keys: keys.subtracting(same),
      stored: stored.filter { !same.contains($0.key(Table.keyColumn)) },
      shown: shown.filter { !same.contains($0.key(Table.keyColumn)) })
  }
}

extension LayeredFetch {
  /// Returns the rows of a query without links that the layers decide, without its limit.
  func edited(_ plan: QueryPlan) async throws(StoreError) -> EditedRows {
    let keys = try await candidates(plan)
    let base = try await snapshot.records(plan.table, keys: keys)
    let shown = try await matching(plan, layers.records(of: keys, in: plan.table, over: base))
    if plan.isRowLocal {
      let stored = base.values.filter { plan.filter?.matches($0) ?? true }
      return EditedRows(
        keys: keys, stored: stored.map(plan.ownRow), shown: shown.map(plan.ownRow))
    }
    let stored = try await snapshot.records(plan, only: keys)
    let ranked = shown.map { plan.row($0, like: stored[$0.key(Table.keyColumn)]) }
    return EditedRows(
      keys: keys, stored: Array(stored.values), shown: try await withSortValues(ranked, plan))
  }

  /// Returns the rows within a query's limit and offset, in its order.
  ///
  /// The store skips the offset, less as many rows as the layers may put before the page. The rows of
  /// the layers take their places among the rows read.
  func rows(
    of plan: QueryPlan, correctedBy edited: EditedRows
  ) async throws(StoreError) -> [Record] {
    if plan.limit == 0 { return [] }
    let skipped = max(0, plan.offset - edited.shown.count)
    let count = plan.reach.map { $0 - skipped + edited.stored.count }
    let isSorted = count != nil || skipped > 0
    let stored = try await snapshot.records(
      plan, limit: count, offset: skipped, isSorted: isSorted)
    var rows = stored.filter { !edited.keys.contains($0.key(Table.keyColumn)) }
    var position = 0
    var shown = edited.shown
    if skipped > 0 {
      // Without such a row, the answer ends before the page.
      guard let first = stored.first, let kept = rows.first else { return [] }
      let removed = edited.stored.count { plan.order.compare($0, first) < 0 }
      shown.removeAll { plan.order.compare($0, kept) < 0 }
      position = skipped - removed + edited.shown.count - shown.count
    }
    rows += shown
    rows.sort { plan.order.compare($0, $1) < 0 }
    let start = min(plan.offset - position, rows.count)
    let end = plan.limit.map { min(start + $0, rows.count) } ?? rows.count
    return Array(rows[start..<end])
  }
}
