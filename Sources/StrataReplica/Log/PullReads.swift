internal import Strata

/// The rows that a pull reads: the rows that changed, and all rows of a table if that is not known.
struct PullReads {
  let connection: any ServerConnection
  let followed: FollowedTables
  let store: any PullStore
  /// The server's knowledge of the replica.
  let client: ServerClient?

  /// - Parameters:
  ///   - changed: the rows that changed by the server's log.
  ///   - shapes: the names of the tables whose fingerprints differ.
  func all(
    _ changed: [ChangedTable], shapes: Set<String>
  ) async throws(ReplicaError) -> [ChangedTable] {
    let tables = followed.tables
    let whole = withReferring(shapes, changed)
    let parts = tables.filter { !whole.contains($0.name) }
    var known = changed.filter { !whole.contains($0.table.name) }
    let beside = try await store.keysBeside(Set(known.map(\.table.name)), of: parts, client)
    known = known.adding(beside, of: parts)
    for (table, reference) in followed.referring where !whole.contains(table.name) {
      let targets = known.first { $0.table === reference.target }?.keys ?? []
      let entering = try await store.entering(targets, in: reference.target)
      if entering.isEmpty { continue }
      let keys = try await connection.keys(of: table, referringTo: entering)
      known = known.adding([table.name: keys], of: tables)
    }
    return known + tables.filter { whole.contains($0.name) }.map { ChangedTable($0, .whole) }
  }

  /// Returns the tables of which all rows are read, with the tables whose filters refer to them.
  private func withReferring(_ shapes: Set<String>, _ changed: [ChangedTable]) -> Set<String> {
    // A filter is about rows that are known by their keys, or about all rows.
    let isFiltered = followed.hasFilters
    var all = shapes.union(
      changed.filter { $0.isWhole || isFiltered && $0.keys == nil }.map(\.table.name))
    for (table, reference) in followed.referring
    where all.contains(reference.target.name) {
      all.insert(table.name)
    }
    return all
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
