/// A bound of a query in its order: the place of an entity.
struct OrderBound<Root: Entity>: Sendable {
  let entity: Root
  /// Whether the query has the entities after the bound, and not those before it.
  let isLower: Bool
  /// Whether the query has the entity at the bound.
  let isIncluded: Bool
}

extension Query {
  /// Returns the query for only the entities that come after `entity` in its order.
  ///
  /// ```swift
  /// let loved = Song.where { $0.loved }.sorted(by: \.released)
  /// let next = try await view.fetch(loved.after(song).limit(50))
  /// ```
  ///
  /// The order is that of all sorts of the query, also of sorts that are given after this call, and
  /// of the key. A bound is a condition: it comes before the limit and the offset, and several bounds
  /// must be met together. The values of `entity` are those of this call. The entity need not be
  /// stored, and it need not meet the query's conditions.
  ///
  /// A limit takes the first entities. So the 50 entities before another one, nearest first, are
  /// those after it in the reversed order:
  /// `sorted(by: \.released, order: .reverse).after(song).limit(50)`.
  ///
  /// Running the query throws ``StoreError`` with code `invalidQuery` if its order is by computed
  /// values, by relevance, by distance or by the positions of links.
  ///
  /// - Complexity: A page of *k* entities takes O(*k* + log *n*), however deep it lies, if an index has
  ///   the order (``Index``), and if its first sort is ascending or by an attribute that is never
  ///   nil. Nil comes last in a descending order, so SQLite reads the index from its beginning.
  public func after(_ entity: Root) -> Self {
    adding(OrderBound(entity: entity, isLower: true, isIncluded: false))
  }

  /// Returns the query for only `entity` and the entities that come after it in its order.
  ///
  /// It is a bound like ``after(_:)``.
  public func from(_ entity: Root) -> Self {
    adding(OrderBound(entity: entity, isLower: true, isIncluded: true))
  }

  /// Returns the query for only the entities that come before `entity` in its order.
  ///
  /// It is a bound like ``after(_:)``.
  public func before(_ entity: Root) -> Self {
    adding(OrderBound(entity: entity, isLower: false, isIncluded: false))
  }

  /// Returns the query for only `entity` and the entities that come before it in its order.
  ///
  /// It is a bound like ``after(_:)``.
  public func through(_ entity: Root) -> Self {
    adding(OrderBound(entity: entity, isLower: false, isIncluded: true))
  }

  private func adding(_ bound: OrderBound<Root>) -> Self {
    var copy = self
    copy.bounds.append(bound)
    return copy
  }
}
