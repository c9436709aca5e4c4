extension FetchSource {
  /// Returns the entities of a query.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*n*) of the entities if an index has their order, O(*n* log *n*) if not, plus
  ///   the rows that the filter has to check. *k* unsaved edits add O(*k* log *n*).
  public nonisolated(nonsending) func fetch<E: Entity>(
    _ query: Query<E>
  ) async throws -> [E] {
    try await _answer(_FetchRequest { fetch throws(StoreError) in try await fetch.fetch(query) })
  }

  /// Returns the first entity of a query, in its order; nil if it has none.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func first<E: Entity>(
    _ query: Query<E>
  ) async throws -> E? {
    try await fetch(query.limit(1)).first
  }

  /// Returns the number of entities of a query.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*n*) of the entities, without reading rows if an index has the filter's
  ///   attributes. *k* unsaved edits add O(*k* log *n*).
  public nonisolated(nonsending) func count<E: Entity>(
    _ query: Query<E>
  ) async throws -> Int {
    try await _answer(_FetchRequest { fetch throws(StoreError) in try await fetch.count(query) })
  }

  /// Returns whether a query has any entity; reads no further than the first entity.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func exists<E: Entity>(
    _ query: Query<E>
  ) async throws -> Bool {
    try await _answer(_FetchRequest { fetch throws(StoreError) in try await fetch.exists(query) })
  }

  // MARK: By key

  /// Returns the entity with the given key; nil if it does not exist.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func find<E: Entity>(
    _ type: E.Type, _ id: E.ID
  ) async throws -> E? {
    try await find([id], type).first
  }

  /// Returns the entities with the given keys, in the order of the keys; unknown keys are left out.
  ///
  /// A single call for many keys is much faster than many calls. The keys are looked up in order,
  /// in one turn of the reader.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*k* log *n*) for *k* keys among *n* entities.
  public nonisolated(nonsending) func find<E: Entity>(
    _ type: E.Type, _ ids: [E.ID]
  ) async throws -> [E] {
    try await find(ids, type)
  }

  private nonisolated(nonsending) func find<E: Entity>(
    _ ids: [E.ID], _ type: E.Type
  ) async throws(StoreError) -> [E] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in try await fetch.fetch(ids, type) })
  }

  // MARK: With relationships

  /// Returns the entities of a query, each with its related entities.
  ///
  /// ```swift
  /// for (artist, songs) in try await view.fetch(Artist.all, with: Artist.songs) { … }
  /// ```
  ///
  /// The call takes one statement for the entities and one for the relationship. The related
  /// entities are in the order of their positions if the relationship is ordered, and by key if
  /// not. `relationship.narrowed { … }` may choose another order.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  /// - Complexity: O(*n* + *m*) of the entities and of their related entities.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>>(
    _ query: Query<E>, with relationship: R
  ) async throws -> [(E, R.Related)] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        try await fetch.fetch(query, with: relationship)
      })
  }

  /// Returns the entities of a query, each with its related entities in two relationships.
  ///
  /// The second relationship takes one more statement.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetch<E: Entity, R: Relationship<E>, S: Relationship<E>>(
    _ query: Query<E>, with first: R, _ second: S
  ) async throws -> [(E, R.Related, S.Related)] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        try await fetch.fetch(query, with: first, second)
      })
  }

  /// Returns the entities of a query, each with what it has in three relationships.
  ///
  /// A ``RelatedValue`` such as `.count(of: Artist.songs)` stands for a relationship. It is made of the
  /// related entities, which are read.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetch<
    E: Entity, R: Relationship<E>, S: Relationship<E>, T: Relationship<E>
  >(
    _ query: Query<E>, with first: R, _ second: S, _ third: T
  ) async throws -> [(E, R.Related, S.Related, T.Related)] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        try await fetch.fetch(query, with: first, second, third)
      })
  }

  /// Returns the entity that a reference leads to, as the source has both entities.
  ///
  /// The reference is the source's reference, not that of the value in hand. The result is nil if
  /// the source has deleted the root, if the reference is nil, or if the reference leads to no
  /// entity.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetch<Root: Entity, Target: Entity>(
    _ relationship: ToOne<Root, Target>, of root: Root
  ) async throws -> Target? {
    let key = root.id
    return try await _answer(
      _FetchRequest { fetch throws(StoreError) in try await fetch.target(relationship, of: key) })
  }
}
