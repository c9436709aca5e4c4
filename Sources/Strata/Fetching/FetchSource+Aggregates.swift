extension FetchSource {
  /// A value made of all of a query's entities, such as their number or the sum of an attribute.
  ///
  /// ```swift
  /// let plays = try await view.fetch(.sum(\.plays), of: Song.fast)
  /// ```
  ///
  /// Made by the store. With unsaved edits that may change the result, the entities are read and
  /// the value is made of them in memory, to the same effect.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is no
  ///   attribute, `invalidValue` for a sum that is out of range.
  public nonisolated(nonsending) func fetch<E: Entity, Value>(
    _ aggregate: Aggregate<E, Value>, of query: Query<E>
  ) async throws(StoreError) -> Value {
    try await answer(
      FetchRequest { fetch throws(StoreError) in
        let reader = RowReader { cell throws(CodingFailure) in
          var values = ValueReader()
          return try values.next(aggregate, cell)
        }
        return try await fetch.summary(query, groupedBy: [], aggregate.terms, reader)
      })[0]
  }

  /// Several values made of all of a query's entities, in one pass over them.
  ///
  /// ```swift
  /// let (count, plays) = try await view.fetch(.count, .sum(\.plays), of: Song.fast)
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is no
  ///   attribute, `invalidValue` for a sum that is out of range.
  public nonisolated(nonsending) func fetch<E: Entity, First, Second, each Other: Sendable>(
    _ first: Aggregate<E, First>, _ second: Aggregate<E, Second>,
    _ others: repeat Aggregate<E, each Other>, of query: Query<E>
  ) async throws(StoreError) -> (First, Second, repeat each Other) {
    var terms = first.terms + second.terms
    repeat terms += (each others).terms
    return try await answer(
      FetchRequest { [terms] fetch throws(StoreError) in
        let reader = RowReader { cell throws(CodingFailure) in
          var values = ValueReader()
          return (
            try values.next(first, cell), try values.next(second, cell),
            repeat try values.next(each others, cell)
          )
        }
        return try await fetch.summary(query, groupedBy: [], terms, reader)
      })[0]
  }

  /// Values made of the entities of each group, after what the group has in common, in the order of
  /// the groups' values.
  ///
  /// ```swift
  /// for (genre, count, plays) in try await view.fetch(
  ///   .count, .sum(\.plays), of: Song.all.grouped(by: \.genre)) { … }
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is no
  ///   attribute, `invalidValue` for a sum that is out of range.
  /// - Complexity: O(*n*) of the entities if the groups' attribute is indexed, O(*n* log *n*) if
  ///   not.
  public nonisolated(nonsending) func fetch<E: Entity, Group, First, each Other: Sendable>(
    _ first: Aggregate<E, First>, _ others: repeat Aggregate<E, each Other>,
    of query: GroupedQuery<E, Group>
  ) async throws(StoreError) -> [(Group, First, repeat each Other)] {
    var terms = first.terms
    repeat terms += (each others).terms
    return try await answer(
      FetchRequest { [terms] fetch throws(StoreError) in
        let reader = RowReader { cell throws(CodingFailure) in
          var values = ValueReader()
          return (
            try query.group(&values, cell), try values.next(first, cell),
            repeat try values.next(each others, cell)
          )
        }
        return try await fetch.summary(query.query, groupedBy: query.paths, terms, reader)
      })
  }
}
