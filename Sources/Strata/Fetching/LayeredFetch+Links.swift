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
    var matches: [RecordKey: Record] = [:]
    for record in try await ranked(try await matching(plan, targets), plan.withoutLinks) {
      matches[record.key(Table.keyColumn)] = record
    }
    var rows: [(root: RecordKey, record: Record)] = []
    for link in found {
      guard let target = matches[link.key(end.target)] else { continue }
      let record = end.position.map { target.appending($0, of: link) } ?? target
      rows.append((link.key(end.root), record))
    }
    rows.sort { plan.order.compare($0.record, $1.record) < 0 }
    return rows
  }
}

extension Record {
  /// Returns this record with a cell of another record at its end.
  func appending(_ column: Int, of other: Record) -> Record {
    rebuilt(count: count + 1) { builder in
      for own in 0..<count { builder.append(own, of: self) }
      builder.append(column, of: other)
    }
  }

  /// Returns a record with the first cells of this record.
  func prefix(_ count: Int) -> Record {
    if count >= self.count { return self }
    return rebuilt(count: count) { builder in
      for column in 0..<count { builder.append(column, of: self) }
    }
  }

  private func rebuilt(count: Int, _ cells: (RecordBuilder) -> Void) -> Record {
    let builder = RecordBuilder()
    builder.begin(columns: count)
    cells(builder)
    // The record is at most eight bytes larger than an existing record.
    guard let record = try? builder.finish() else { return self }
    return record
  }
}
