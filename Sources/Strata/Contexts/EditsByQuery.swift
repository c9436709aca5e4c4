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
  /// The edits are one undo group. Of more than 500 entities, `change` gets some in each turn of the main actor, and
  /// the live queries are brought up to date elsewhere: the main actor is held for a few milliseconds at a time. Edits
  /// that are made meanwhile stay, and the context shows all edits of the call or none.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities, and O(*k* log *m*) for each live query that *k* of the
  ///   entities concern.
  @discardableResult
  public func update<E: Entity>(
    _ query: Query<E>, _ change: (inout E) -> Void
  ) async throws -> Int {
    let entities = try await fetch(query)
    if !isLarge(entities.count) {
      editTogether(entities) { update($0, change) }
      return entities.count
    }
    try await edit(entities) { edits, entity, table, key in
      let inHand = edits.record(of: entity, table)
      let shown = shown(key, in: table, or: inHand)
      guard var draft = edits.draft(of: entity, table, key, shown, inHand: inHand) else { return }
      change(&draft.entity)
      _ = edits.finish(draft, table, key, shown: .unknown)
    }
    return entities.count
  }

  /// Deletes every entity of a query; live queries drop them in one turn.
  ///
  /// The main actor is held as for ``update(_:_:)-(Query<E>,_)``.
  ///
  /// - Returns: the number of entities of the query.
  /// - Throws: ``StoreError``, as ``FetchSource`` says; then nothing is edited.
  /// - Complexity: O(*n*) time and memory for *n* entities, and O(*k* log *m*) for each live query that *k* of the
  ///   entities concern.
  @discardableResult
  public func delete<E: Entity>(_ query: Query<E>) async throws -> Int {
    let entities = try await fetch(query)
    if !isLarge(entities.count) {
      editTogether(entities) { delete($0) }
      return entities.count
    }
    try await edit(entities) { edits, entity, table, key in
      let inHand = edits.record(of: entity, table)
      let shown = shown(key, in: table, or: inHand)
      _ = edits.delete(entity, table, key, shown: shown)
    }
    return entities.count
  }

  /// The time for which one turn makes edits.
  private static let slice = Duration.milliseconds(1.5)

  /// Edits many entities: the edits are made in slices, laid over the context's edits elsewhere, and shown in one
  /// turn.
  ///
  /// - Parameter body: makes the edit of one entity.
  private func edit<E: Entity>(
    _ entities: [E], _ body: (inout Edits, E, Table, RecordKey) -> Void
  ) async throws(StoreError) {
    var edits = Edits(store.model)
    var end = ContinuousClock.now + Self.slice
    for (number, entity) in entities.enumerated() {
      guard let (table, key) = layers.pending.identify(entity) else { continue }
      body(&edits, entity, table, key)
      if number % 16 == 15, ContinuousClock.now > end {
        await Task.yield()
        end = .now + Self.slice
      }
    }
    beginTurn()
    try await changeElsewhere { [edits] version in
      version.edit(edits.layer.keys) { $0.make(edits) }
    }
  }
}
