extension Stack {
  /// Sets attributes of every entity of a query in one commit, without bringing the rows to a
  /// context, and returns when the view context shows it.
  ///
  /// The rules of a save hold: validation, uniqueness and required references are checked, and
  /// unpushed changes are noted for the outbox. Live queries and streams are told the exact rows. An
  /// unsaved edit of another value in the same attribute becomes a conflict, as with any other
  /// commit.
  ///
  /// ```swift
  /// try await stack.update(Song.where { $0.plays < 0 }, .set(\.plays, to: 0))
  /// try await stack.update(Song.all, .set(\.plays) { $0.plays + 1 })
  /// ```
  ///
  /// - Parameters:
  ///   - query: the entities, without the unsaved edits of any context. Sorts only matter with a
  ///     limit.
  ///   - assignment: the new value of an attribute other than the key.
  ///   - more: the new values of other attributes.
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError`` with code `invalidQuery`, `invalidValue` if a computed value is not one
  ///   that the attribute can hold, `validationFailed`, `uniquenessViolated`, `missingReference`,
  ///   `cancelled`, `closed`, `busy`, `diskFull` or one of SQLite's; then nothing is changed.
  /// - Complexity: O(*n*) time and memory for *n* entities. Other commits wait meanwhile.
  @discardableResult
  public nonisolated(nonsending) func update<E: Entity>(
    _ query: Query<E>, _ assignment: AttributeAssignment<E>, _ more: AttributeAssignment<E>...
  ) async throws -> Int {
    let plan = try QueryPlan(query, store.model)
    let assignments = try ResolvedAssignments([assignment] + more, store.model)
    let (commit, count) = try await store.transaction { transaction throws(StoreError) in
      try transaction.update(plan, assignments)
    }
    await store.viewMerged(commit)
    return count
  }
}
