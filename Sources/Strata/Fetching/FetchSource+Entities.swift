extension FetchSource {
  /// The entities of a query.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*n*) of the entities if an index has their order, O(*n* log *n*) if not, and
  ///   of the rows that the filter has to look at.
  public nonisolated(nonsending) func fetch<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> [E] {
    try await answer(FetchRequest { fetch throws(StoreError) in try await fetch.fetch(query) })
  }

  /// The number of entities of a query.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func count<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> Int {
    try await answer(FetchRequest { fetch throws(StoreError) in try await fetch.count(query) })
  }

  /// Whether a query has any entity: reads no further than the first one.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func exists<E: Entity>(
    _ query: Query<E>
  ) async throws(StoreError) -> Bool {
    try await answer(FetchRequest { fetch throws(StoreError) in try await fetch.exists(query) })
  }

  // MARK: By key

  /// The entity with the given key; nil if there is none.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func find<E: Entity>(
    _ type: E.Type, _ id: E.ID
  ) async throws(StoreError) -> E? {
    try await find([id], type).first
  }

  /// The entities with the given keys, in their order; those that do not exist are left out.
  ///
  /// One call for many keys is much faster than many calls: the keys are looked up in order, in one
  /// turn of the reader.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*k* log *n*) for *k* keys among *n* entities.
  public nonisolated(nonsending) func find<E: Entity>(
    _ type: E.Type, _ ids: [E.ID]
  ) async throws(StoreError) -> [E] {
    try await find(ids, type)
  }

  private nonisolated(nonsending) func find<E: Entity>(
    _ ids: [E.ID], _ type: E.Type
  ) async throws(StoreError) -> [E] {
    try await answer(FetchRequest { fetch throws(StoreError) in try await fetch.fetch(ids, type) })
  }

  // MARK: With relationships

  /// The entities of a query, each with what it is related to.
  ///
  /// ```swift
  /// for (artist, songs) in try await view.fetch(Artist.all, with: Artist.songs) { … }
  /// ```
  ///
  /// One statement for the entities and one for the relationship. Related entities come in the
  /// order of their positions if the relationship is ordered, by key if not, or as
  /// `relationship.narrowed { … }` says.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*n* + *m*) of the entities and those related to them.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws(StoreError) -> [(E, R.Related)] {
    try await answer(
      FetchRequest { fetch throws(StoreError) in
        try await fetch.fetch(query, with: relationship)
      })
  }

  /// The entities of a query, each with what it is related to in two ways: one statement more.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>, S: Relationship<E>>(
    _ query: Query<E>, with first: R, _ second: S
  ) async throws(StoreError) -> [(E, R.Related, S.Related)] {
    try await answer(
      FetchRequest { fetch throws(StoreError) in
        try await fetch.fetch(query, with: first, second)
      })
  }

  /// What an entity's reference leads to, as the source has both.
  ///
  /// The reference is the one that the source has, not that of the value in hand. Nil if the entity
  /// is deleted there, if the reference is nil, and if it leads nowhere.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetch<Root: Entity, Target: Entity>(
    _ relationship: ToOne<Root, Target>, of root: Root
  ) async throws(StoreError) -> Target? {
    let key = root.id
    return try await answer(
      FetchRequest { fetch throws(StoreError) in try await fetch.target(relationship, of: key) })
  }
}
