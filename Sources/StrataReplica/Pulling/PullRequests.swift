internal import Strata

/// The rows that a pull reads: the rows that changed, and all rows of a table if that is not known.
struct PullRequests {
  let context: PullContext
  let state: StoredState
  let order: PullOrder
  /// Whether the rows are read, too, whose edits wait.
  let readsWaiting: Bool

  /// - Parameters:
  ///   - changed: the rows that changed by the server's log.
  ///   - shapes: the names of the tables whose fingerprints differ.
  func all(
    _ changed: [ChangedTable], shapes: Set<String>
  ) async throws(ReplicaError) -> [ChangedTable] {
    let (tables, followed) = (context.tables, context.followed)
    let whole = withReferring(shapes, changed)
    let parts = tables.filter { !whole.contains($0.name) }
    var known = changed.filter { !whole.contains($0.table.name) }
      .adding(order.reverted, of: parts)
    if readsWaiting {
      let waiting = try await storing { () throws(StoreError) in
        try await context.stack.waitingRows(of: parts)
      }
      known = known.adding(waiting.mapValues { Set($0.keys) }, of: parts)
    }
    known = known.adding(try await withheld(known, of: parts), of: parts)
    // After a copy, the store may have a row that was not followed when the rows were read that refer to
    // it. A row that waits may have left and come back meanwhile.
    let isCertain = state.copy == nil && state.mustReadWaiting != true
    for (table, reference) in followed.referring where !whole.contains(table.name) {
      let targets = known.first { $0.table === reference.target }?.keys ?? []
      let entering = isCertain ? try await unfollowed(targets, in: reference.target) : targets
      if entering.isEmpty { continue }
      let keys = try await context.connection.keys(of: table, referringTo: entering)
      known = known.adding([table.name: keys], of: tables)
    }
    return known + tables.filter { whole.contains($0.name) }.map { ChangedTable($0, .whole) }
  }

  /// Returns the withheld rows that are read again, because the store may have them now.
  private func withheld(
    _ changed: [ChangedTable], of tables: [Table]
  ) async throws(ReplicaError) -> [String: Set<RecordKey>] {
    let isAll = order.withheld == .all
    let some =
      isAll ? tables : tables.filter { table in changed.contains { $0.table === table } }
    if order.withheld == .none || some.isEmpty { return [:] }
    let rows = try await storing { () throws(StoreError) in
      try await context.stack.withheldRows(of: some)
    }
    let again = rows.filter { isAll || $0.isDuplicate }
    return Dictionary(grouping: again) { $0.table.name }.mapValues { Set($0.map(\.key)) }
  }

  /// Returns the tables of which all rows are read, with the tables whose filters refer to them.
  private func withReferring(_ shapes: Set<String>, _ changed: [ChangedTable]) -> Set<String> {
    // A filter is about rows that are known by their keys, or about all rows.
    let isFiltered = context.followed.hasFilters
    var all = shapes.union(
      changed.filter { $0.isWhole || isFiltered && $0.keys == nil }.map(\.table.name))
    for (table, reference) in context.followed.referring
    where all.contains(reference.target.name) {
      all.insert(table.name)
    }
    return all
  }

  /// Returns those of some rows that may enter the store.
  private func unfollowed(
    _ keys: Set<RecordKey>, in table: Table
  ) async throws(ReplicaError) -> Set<RecordKey> {
    if keys.isEmpty { return [] }
    return try await storing { () throws(StoreError) in
      try await context.stack.unfollowed(keys, in: table, of: context.followed)
    }
  }
}

extension [ChangedTable] {
  /// Returns requests that also read some keys of some tables, unless all rows of the table are read.
  func adding(_ keys: [String: Set<RecordKey>], of tables: [Table]) -> [ChangedTable] {
    var requests = self
    for table in tables {
      guard let keys = keys[table.name], !keys.isEmpty else { continue }
      if requests.contains(where: { $0.table === table && $0.isWhole }) { continue }
      let position = requests.firstIndex { $0.table === table && $0.keys != nil }
      if let position, let known = requests[position].keys {
        requests[position] = ChangedTable(table, .keys(known.union(keys)))
      } else {
        requests.append(ChangedTable(table, .keys(keys)))
      }
    }
    return requests
  }
}

extension [ServerRows] {
  /// Returns the rows that were asked for by some requests.
  func answering(_ requests: [ChangedTable]) -> [ServerRows] {
    requests.compactMap { request in
      let part = first { $0.table === request.table }
      return part.map { part in
        guard let keys = request.keys else { return part }
        return ServerRows(
          part.table, .keys(keys), part.rows.filter { keys.contains($0.key) },
          flaws: part.flaws.filter { keys.contains($0.key) })
      }
    }
  }
}
