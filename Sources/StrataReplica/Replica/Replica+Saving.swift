public import Strata

extension Replica {
  /// Saves the view context, and returns once the server has its edits.
  ///
  /// - Parameters:
  ///   - view: the view context of the replica's stack.
  ///   - policy: as for `ViewContext.save(_:)`.
  /// - Returns: the number of the commit of this store.
  /// - Throws: `StoreError` if nothing was saved. ``ReplicaError`` if the edits are saved here and the
  ///   server does not have them: with code `refused` if it refuses one of the rows, which ``refused()``
  ///   lists then, or why the server cannot be reached. Then they go on to wait.
  @MainActor
  @discardableResult
  public func save(_ view: ViewContext, _ policy: SavePolicy = .error) async throws -> Int64 {
    let keys = view.editedKeys
    let commit = try await view.save(policy)
    try await push(commit, keys)
    return commit
  }

  /// Saves a scratch context, and returns once the server has its edits.
  ///
  /// ```swift
  /// let scratch = stack.makeScratch()
  /// scratch.insert(Song(title: "So What"))
  /// do { try await replica.save(scratch) } catch let error as ReplicaError where error.code == .refused {
  ///   print(error.constraint ?? error.message)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - scratch: a scratch context of the replica's stack.
  ///   - policy: as for `ScratchContext.save(_:)`.
  /// - Returns: the number of the commit of this store.
  /// - Throws: `StoreError` if nothing was saved. ``ReplicaError`` if the edits are saved here and the
  ///   server does not have them, as for the view context.
  @discardableResult
  public nonisolated(nonsending) func save(
    _ scratch: ScratchContext, _ policy: SavePolicy = .error
  ) async throws -> Int64 {
    let keys = scratch.editedKeys
    let commit = try await scratch.save(policy)
    try await push(commit, keys)
    return commit
  }

  /// Returns once the server has the edits of a commit.
  ///
  /// - Parameter keys: the rows that the commit edited.
  /// - Throws: ``ReplicaError`` with code `refused` if the server refuses one of the edits, or one on
  ///   which they depend.
  private func push(
    _ commit: Int64, _ keys: [String: Set<RecordKey>]
  ) async throws(ReplicaError) {
    while true {
      try await settled()
      let waiting = try await storing { () throws(StoreError) in
        try await stack.waitingRows(of: tables)
      }
      let left = waiting.flatMap { table, rows in
        rows.filter { keys[table]?.contains($0.key) == true }.values
      }
      if left.isEmpty { return }
      let refused = try await refused().first { change in
        tables.contains { table in
          table.entity == change.request.entity
            && keys[table.name]?.contains(change.request.key) == true
        }
      }
      if left.contains(where: \.isRefused), let refused { throw ReplicaError(refused) }
      // Rows that were edited again meanwhile wait for another push.
      if left.allSatisfy({ $0.commit <= commit }) { throw .blocked }
    }
  }
}
