extension LayeredFetch {
  /// Returns the rows at the far end of a query's links, each with its root, in the query's order.
  ///
  /// The query's limit is not applied. A link to a row that the layers delete leads to no row. If
  /// the links have positions, the last cell of a row is the position of its link.
  func linked(
    _ plan: QueryPlan
  ) async throws(StoreError) -> [(root: RecordKey, record: Record)] {
    guard let links = plan.links else { return [] }
    let end = links.end
    let found = try await records(links.plan)
    let targets = try await shown(plan.table, Set(found.map { $0.key(end.target) }))
    let matches = Dictionary(
      byKey: try await ranked(try await matching(plan, targets), plan.withoutLinks))
    var rows: [(root: RecordKey, record: Record)] = []
    for link in found {
      guard let target = matches[link.key(end.target)] else { continue }
      let record = end.position.map { target.appending(number: link[$0]) } ?? target
      rows.append((link.key(end.root), record))
    }
    let records = try await withSortValues(rows.map(\.record), plan)
    for index in rows.indices { rows[index].record = records[index] }
    rows.sort { plan.order.compare($0.record, $1.record) < 0 }
    return rows
  }
}
