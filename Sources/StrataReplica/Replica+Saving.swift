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
    let commit = try await view.save(policy)
    try await push(commit)
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
    let commit = try await scratch.save(policy)
    try await push(commit)
    return commit
  }

  /// Returns once the server has the edits of a commit.
  ///
  /// - Throws: ``ReplicaError`` with code `refused` if the server refuses one of them.
  private func push(_ commit: Int64) async throws(ReplicaError) {
    try await settled()
    if let change = try await refused().first(where: { $0.request.commit == commit }) {
      throw ReplicaError(change)
    }
  }
}
