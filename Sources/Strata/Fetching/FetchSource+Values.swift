extension FetchSource {
  /// Returns the keys of a query's entities, in the query's order.
  ///
  /// If an index has the attributes of the filter and of the sort, no row is read.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says.
  public nonisolated(nonsending) func fetchKeys<E: Entity>(
    _ query: Query<E>
  ) async throws -> [E.ID] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        try await fetch.rows(query, of: { _ in [Table.keyColumn] }, .value(E.ID.self))
      })
  }

  /// Returns one attribute of a query's entities, in the query's order.
  ///
  /// ```swift
  /// let titles = try await view.fetch(Song.fast, \.title)
  /// ```
  ///
  /// No other attribute is read or decoded. For a wide entity with large texts, that saves most of
  /// the work.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute.
  public nonisolated(nonsending) func fetch<E: Entity, Value: AttributeValue>(
    _ query: Query<E>, _ path: any KeyPath<E, Value> & Sendable
  ) async throws -> [Value] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        try await fetch.rows(
          query, of: { table throws(StoreError) in try table.columns([path]) }, .value(Value.self))
      })
  }

  /// Returns several attributes of a query's entities, in the query's order.
  ///
  /// ```swift
  /// for (title, bpm) in try await view.fetch(Song.fast, \.title, \.bpm) { … }
  /// ```
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute.
  public nonisolated(nonsending) func fetch<
    E: Entity, First: AttributeValue, Second: AttributeValue, each Other: AttributeValue
  >(
    _ query: Query<E>, _ first: any KeyPath<E, First> & Sendable,
    _ second: any KeyPath<E, Second> & Sendable,
    _ others: repeat any KeyPath<E, each Other> & Sendable
  ) async throws -> [(First, Second, repeat each Other)] {
    var paths: [SendablePath] = [first, second]
    repeat paths.append(each others)
    var layout = TupleLayout()
    layout.add(First.self)
    layout.add(Second.self)
    repeat layout.add((each Other).self)
    let codec = layout.codec(of: (First, Second, repeat each Other).self)
    return try await _answer(
      _FetchRequest { [paths] fetch throws(StoreError) in
        let reader = RowReader(
          read: { cell throws(CodingFailure) in
            var values = ValueReader()
            return (
              try values.next(First.self, cell), try values.next(Second.self, cell),
              repeat try values.next((each Other).self, cell)
            )
          }, codec: codec)
        return try await fetch.rows(
          query, of: { table throws(StoreError) in try table.columns(paths) }, reader)
      })
  }

  /// Returns the distinct values of an attribute among a query's entities, in ascending order, nil
  /// first.
  ///
  /// Values are the same by the rule of ``GroupedQuery``. A limit of the query counts entities, not
  /// values.
  ///
  /// - Throws: ``StoreError``, as ``FetchSource`` says; `invalidQuery` for a key path that is not
  ///   an attribute, `invalidValue` if two values are equal and stored differently.
  /// - Complexity: O(*n*) of the entities, in index order if the attribute is indexed. *k* unsaved
  ///   edits add O(*k* log *n*).
  public nonisolated(nonsending) func distinct<E: Entity, Value: AttributeValue>(
    _ path: any KeyPath<E, Value> & Sendable, of query: Query<E>
  ) async throws -> [Value] {
    try await _answer(
      _FetchRequest { fetch throws(StoreError) in
        let identity = GroupIdentity(Value.self)
        if identity.isStored {
          return try await fetch.summary(query, groupedBy: [path], [], .value(Value.self))
        }
        let reader = RowReader { cell throws(CodingFailure) in
          var values = ValueReader()
          return (cell: cell(0), value: try values.next(Value.self, cell))
        }
        let groups = try await fetch.summary(query, groupedBy: [path], [], reader)
        var known = KnownGroups([identity])
        let table = fetch.model.table(of: E.self)
        for group in groups { try known.add([group.cell], [path], table) }
        return groups.map { $0.value }
      })
  }
}

extension RowReader {
  /// Returns a reader of a single value.
  static func value(_: Value.Type) -> Self where Value: AttributeValue {
    var layout = TupleLayout()
    layout.add(Value.self)
    return Self(
      read: { cell throws(CodingFailure) in
        var values = ValueReader()
        return try values.next(Value.self, cell)
      }, codec: layout.codec(of: Value.self))
  }
}

/// Reads the cells of a row as values, one after the other.
struct ValueReader {
  private var position = 0
  /// The cells of the row's group, for messages.
  private var group: [Cell] = []

  /// Notes that the values so far name a group.
  mutating func endGroup(_ cell: (Int) -> Cell) { group = (0..<position).map(cell) }

  mutating func next<Value: AttributeValue>(
    _: Value.Type, _ cell: (Int) -> Cell
  ) throws(CodingFailure) -> Value {
    defer { position += 1 }
    do throws(ValueError) { return try Value(cell: cell(position)) } catch {
      throw CodingFailure(column: position, error: error, .unreadable)
    }
  }

  /// Returns the value of an aggregate, made of the cells of its terms.
  mutating func next<Root, Value>(
    _ aggregate: Aggregate<Root, Value>, _ cell: (Int) -> Cell
  ) throws(CodingFailure) -> Value {
    let start = position
    position += aggregate.terms.count
    let cells = (start..<position).map(cell)
    do throws(ValueError) { return try aggregate.value(cells) } catch {
      var failure = CodingFailure(column: start, error: error, aggregate.problem)
      failure.group = group
      throw failure
    }
  }
}
