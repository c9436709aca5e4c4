/// The aggregate values of a maintained query, with the version of the query that they belong to.
struct MaintainedFold: Sendable {
  private(set) var fold: AggregateFold
  private var rows: ShownRows?

  init(_ fold: AggregateFold) { self.fold = fold }

  /// Follows the query to its newest version, in which only `keys` may differ; nil for any key.
  ///
  /// - Complexity: O(*k* log *n*) for *k* keys; O(*n*) of the rows shown if the query has a limit
  ///   or an offset, or was loaded anew.
  mutating func follow(_ query: MaintainedQuery, _ keys: Set<RecordKey>?) {
    let new = ShownRows(query.result.tree, query.plan)
    defer { rows = new }
    guard let keys, let rows, rows.isWhole else {
      fold = fold.of(new)
      return
    }
    for key in keys { fold.replace(rows.tree.record(of: key), new.tree.record(of: key)) }
  }
}
