extension FetchSource {
  /// Returns a value made of all of a query's entities, such as their number or a sum.
  ///
  /// ```swift
  /// let plays = try await view.fetch(.sum(\.plays), of: Song.fast)
  /// ```
  ///
  /// The store computes the value. If unsaved edits change it, the store leaves out the edited
  /// entities, and the source adds them as it shows them. The result is the same to the last bit.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute, `invalidValue` for a sum that is out of range.
  /// - Complexity: O(*n*) of the entities; O(log *n*) for the least or the greatest value of an
  ///   indexed attribute. *k* unsaved edits add O(*k* log *n*).
  public nonisolated(nonsending) func fetch<E: Entity, Value>(
    _ aggregate: Aggregate<E, Value>, of query: Query<E>
  ) async throws -> Value {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        let reader = RowReader { cell throws(CodingFailure) in
          var values = ValueReader()
          return try values.next(aggregate, cell)
        }
        return try await fetch.summary(query, groupedBy: [], aggregate.terms, reader)
      })[0]
  }

  /// Returns several values made of all of a query's entities, in one pass over them.
  ///
  /// ```swift
  /// let (count, plays) = try await view.fetch(.count, .sum(\.plays), of: Song.fast)
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute, `invalidValue` for a sum that is out of range.
  public nonisolated(nonsending) func fetch<E: Entity, First, Second, each Other: Sendable>(
    _ first: Aggregate<E, First>, _ second: Aggregate<E, Second>,
    _ others: repeat Aggregate<E, each Other>, of query: Query<E>
  ) async throws -> (First, Second, repeat each Other) {
    var terms = first.terms + second.terms
    repeat terms += (each others).terms
    return try await _answer(
      _FetchRequest { [terms] fetch throws(StoreError) in
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

  /// Returns the values made of each group's entities, after the values that the group shares.
  ///
  /// The groups are in the order of the values that they share. No two of them are equal:
  /// ``GroupedQuery`` has the rule.
  ///
  /// ```swift
  /// for (genre, count, plays) in try await view.fetch(
  ///   .count, .sum(\.plays), of: Song.all.grouped(by: \.genre)) { … }
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute, `invalidValue` for a sum that is out of range, or if two groups are equal and
  ///   stored differently.
  /// - Complexity: O(*n*) of the entities if the groups' attribute is indexed, O(*n* log *n*) if
  ///   not. Sums of reals and numbers of distinct values by group of a text take O(*n* log *n*).
  ///   *k* unsaved edits add O(*k* log *n*), and a second pass for numbers of distinct values.
  public nonisolated(nonsending) func fetch<E: Entity, Group, First, each Other: Sendable>(
    _ first: Aggregate<E, First>, _ others: repeat Aggregate<E, each Other>,
    of query: GroupedQuery<E, Group>
  ) async throws -> [(Group, First, repeat each Other)] {
    var terms = query.conditionTerms + first.terms
    repeat terms += (each others).terms
    return try await _answer(
      _FetchRequest { [terms] fetch throws(StoreError) in
        let reader = RowReader {
          cell throws(CodingFailure) -> ([Cell], (Group, First, repeat each Other))? in
          var values = ValueReader()
          let group = try query.group(&values, cell)
          guard try query.isIncluded(&values, cell) else { return nil }
          let row = (
            group, try values.next(first, cell), repeat try values.next(each others, cell)
          )
          return (query.paths.indices.map(cell), row)
        }
        let rows = try await fetch.summary(
          query.query, groupedBy: query.paths, terms, reader
        ).compactMap { $0 }
        try query.check(rows.map { $0.0 }, fetch.model.table(of: E.self))
        return rows.map { $0.1 }
      })
  }
}
