internal import Strata

/// The store of a replica during a pull.
struct PullingStore: PullStore {
  let stack: Stack
  let followed: FollowedTables
  /// The state of the replica before the pull.
  let state: StoredState
  let order: PullOrder

  func keysBeside(
    _ changed: Set<String>, of tables: [Table], _ client: ServerClient?
  ) async throws(ReplicaError) -> [String: Set<RecordKey>] {
    let names = Set(tables.map(\.name))
    var keys = order.reverted.filter { names.contains($0.key) }
    if readsWaiting(client) {
      let waiting = try await storing { () throws(StoreError) in
        try await stack.waitingRows(of: tables)
      }
      keys.merge(waiting.mapValues { Set($0.keys) }) { $0.union($1) }
    }
    let touched = changed.union(keys.filter { !$0.value.isEmpty }.keys)
    let withheld = try await withheld(tables, touched)
    return keys.merging(withheld) { $0.union($1) }
  }

  /// Returns whether the rows are read whose edits wait.
  private func readsWaiting(_ client: ServerClient?) -> Bool {
    // A push that changed nothing on the server is not among its changes.
    let confirms = state.push.push != nil && state.push.outcome(client) == .confirmed
    return confirms && followed.hasFilters || state.mustReadWaiting == true
  }

  /// Returns the withheld rows that are read again, because the store may have them now.
  private func withheld(
    _ tables: [Table], _ changed: Set<String>
  ) async throws(ReplicaError) -> [String: Set<RecordKey>] {
    let isAll = order.withheld == .all
    let some = isAll ? tables : tables.filter { changed.contains($0.name) }
    if order.withheld == .none || some.isEmpty { return [:] }
    let rows = try await storing { () throws(StoreError) in
      try await stack.withheldRows(of: some)
    }
    let again = rows.filter { isAll || $0.isDuplicate }
    return Dictionary(grouping: again) { $0.table.name }.mapValues { Set($0.map(\.key)) }
  }

  func entering(
    _ keys: Set<RecordKey>, in table: Table
  ) async throws(ReplicaError) -> Set<RecordKey> {
    // After a copy, the store may have a row that was not followed when the rows were read that refer to
    // it. A row that waits may have left and come back meanwhile.
    let isCertain = state.copy == nil && state.mustReadWaiting != true
    if keys.isEmpty || !isCertain { return keys }
    return try await storing { () throws(StoreError) in
      try await stack.unfollowed(keys, in: table, of: followed)
    }
  }

  func clearStage() async throws(ReplicaError) {
    try await storing { () throws(StoreError) in try await stack.clearStage() }
  }

  func stage(_ rows: ServerRows) async throws(ReplicaError) {
    try await storing { () throws(StoreError) in try await stack.stage(rows) }
  }
}
