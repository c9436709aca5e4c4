extension Stack {
  /// The entities of a query, each with what it is related to, as the store has them now.
  ///
  /// One statement for the entities and one for the relationship, of one and the same commit.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws(StoreError) -> [(E, R.Related)] {
    try await reading { fetch throws(StoreError) in
      try await fetch.fetch(query, with: relationship)
    }
  }

  /// The entities of a query, each with what it is related to in two ways: one statement more.
  ///
  /// - Throws: ``StoreError`` with code `invalidQuery`, `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>, S: Relationship<E>>(
    _ query: Query<E>, with first: R, _ second: S
  ) async throws(StoreError) -> [(E, R.Related, S.Related)] {
    try await reading { fetch throws(StoreError) in
      try await fetch.fetch(query, with: first, second)
    }
  }

  /// What an entity's reference leads to, as the store has both now; nil if the entity is not
  /// there, if the reference is nil, and if it leads nowhere.
  ///
  /// - Throws: ``StoreError`` with code `cancelled`, `closed` or one of SQLite's.
  public nonisolated(nonsending) func fetch<Root: Entity, Target: Entity>(
    _ relationship: ToOne<Root, Target>, of root: Root
  ) async throws(StoreError) -> Target? {
    try await reading { fetch throws(StoreError) in
      try await fetch.target(relationship, of: root.id)
    }
  }

  private nonisolated(nonsending) func reading<R>(
    _ body: nonisolated(nonsending) (LayeredFetch) async throws(StoreError) -> R
  ) async throws(StoreError) -> R {
    try await store.reading { snapshot throws(StoreError) in
      try await body(LayeredFetch(snapshot: snapshot, layers: [], model: store.model))
    }
  }
}
