internal import Strata

extension Replica {
  /// Returns the edits that the server refused.
  ///
  /// - Throws: ``ReplicaError`` with code `store`.
  /// - Complexity: O(*n* log *n*) of the rows that wait.
  public func refused() async throws(ReplicaError) -> [RefusedChange] {
    try await withOutbox { try await $0.refusals() }.map(RefusedChange.init)
  }

  /// Pushes a refused edit again, unchanged.
  ///
  /// - Returns: false if the row was edited since, or if the refusal has ended in another way.
  /// - Throws: ``ReplicaError`` with code `store`.
  @discardableResult
  public func retry(_ change: RefusedChange) async throws(ReplicaError) -> Bool {
    defer { noteEdits() }
    return try await withOutbox { try await $0.retry(change.refusal) }
  }

  /// Gives a refused edit up: the row gets the server's values, and a new row goes.
  ///
  /// - Returns: false if nothing was changed, for the reasons of `Outbox.revert(_:)`.
  /// - Throws: ``ReplicaError`` with code `store`.
  @discardableResult
  public func revert(_ change: RefusedChange) async throws(ReplicaError) -> Bool {
    defer { noteEdits() }
    let isReverted = try await withOutbox { try await $0.revert(change.refusal) }
    let table = tables.first { $0.name == change.request.tableName }
    if isReverted, let table, followed[table] != nil {
      didRevert(change.request.key, of: table)
    }
    return isReverted
  }

  private nonisolated(nonsending) func withOutbox<Result: Sendable>(
    _ body: (Outbox) async throws -> Result
  ) async throws(ReplicaError) -> Result {
    do { return try await body(outbox) } catch let error as StoreError {
      throw ReplicaError(error)
    } catch {
      throw ReplicaError(.closed, "\(error)", advice: "try again")
    }
  }
}
