// Edits of all entities that a query returns.

extension ScratchContext {
  /// Changes every entity of a query, as ``update(_:_:)`` does.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities.
  @discardableResult
  public nonisolated(nonsending) func update<E: Entity>(
    _ query: Query<E>, _ change: (inout E) -> Void
  ) async throws -> Int {
    let entities = try await fetch(query)
    undoGroup { for entity in entities { update(entity, change) } }
    return entities.count
  }

  /// Deletes every entity of a query.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities.
  @discardableResult
  public nonisolated(nonsending) func delete<E: Entity>(
    _ query: Query<E>
  ) async throws -> Int {
    let entities = try await fetch(query)
    undoGroup { for entity in entities { delete(entity) } }
    return entities.count
  }
}

extension ViewContext {
  /// Changes every entity of a query, as ``update(_:_:)`` does; live queries show it in one turn.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities, in one turn of the main actor, and O(*k*
  ///   log *m*) for each live query that *k* of the entities concern. For many entities, use a scratch
  ///   context.
  @discardableResult
  public func update<E: Entity>(
    _ query: Query<E>, _ change: (inout E) -> Void
  ) async throws -> Int {
    let entities = try await fetch(query)
    editTogether(entities) { update($0, change) }
    return entities.count
  }

  /// Deletes every entity of a query; live queries drop them in one turn.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities, in one turn of the main actor, and O(*k*
  ///   log *m*) for each live query that *k* of the entities concern. For many entities, use a scratch
  ///   context.
  @discardableResult
  public func delete<E: Entity>(_ query: Query<E>) async throws -> Int {
    let entities = try await fetch(query)
    editTogether(entities) { delete($0) }
    return entities.count
  }
}
