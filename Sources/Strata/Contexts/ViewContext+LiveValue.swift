extension ViewContext {
  // MARK: - Live values

  /// Returns a value of all of a query's entities, kept up to date for as long as it is held.
  ///
  /// ```swift
  /// let number = view.live(.count, of: Song.where { $0.bpm > 100 })
  /// let longest = view.live(.max(\.duration), of: Song.all)
  /// ```
  ///
  /// The first value is computed in the background. If the query cannot be run, or a key path is no
  /// attribute, the value's `error` says why.
  ///
  /// - Complexity: O(log *n*) a change for *n* rows; O(*s*) for *s* shown rows if the query has a
  ///   limit or an offset. The query's rows are kept in memory, and nothing is read again.
  public func live<E: Entity, Value>(
    _ aggregate: Aggregate<E, Value>, of query: Query<E>
  ) -> LiveValue<Value> {
    live(
      query, groupedBy: [], aggregate.terms,
      LiveValueReader { row throws(CodingFailure) in
        var values = ValueReader()
        return try values.next(aggregate) { row[$0] }
      })
  }

  /// Returns a value for each group of a query's entities, kept up to date for as long as it is
  /// held.
  ///
  /// ```swift
  /// let songs = view.live(.count, of: Song.all.grouped(by: \.genre))
  /// let jazz = songs.value?["jazz"]
  /// ```
  ///
  /// A group exists as long as it has entities. The groups are those of `fetch`, by the rule of
  /// ``GroupedQuery``: the spellings of a text are one group. Groups of another type that are equal and
  /// stored differently are an `invalidValue` error, as for `fetch`.
  ///
  /// - Complexity: as in ``live(_:of:)``, and O(√*g*) a change for *g* groups. While somebody else holds
  ///   the dictionary, a change also copies it.
  public func live<E: Entity, Group: Hashable, Value: Sendable>(
    _ aggregate: Aggregate<E, Value>, of query: GroupedQuery<E, Group>
  ) -> LiveValue<[Group: Value]> {
    live(
      query.query, groupedBy: query.paths, query.conditionTerms + aggregate.terms,
      LiveValueReader(cellCount: aggregate.terms.count) { row throws(CodingFailure) in
        var values = ValueReader()
        let group = try query.group(&values) { row[$0] }
        guard try query.isIncluded(&values, { row[$0] }) else { return (group, nil) }
        return (group, try values.next(aggregate) { row[$0] })
      })
  }

  /// Returns whether two queries have the same result in every store.
  ///
  /// Such queries compare the same attributes with equal values, and have the same order and
  /// limits. A query that cannot be run is equal to no query.
  ///
  /// It serves views that are created again and again with the query that they show.
  ///
  /// - Complexity: O(*n*) for *n* conditions and values.
  public func _isSame<E: Entity>(_ a: Query<E>, as b: Query<E>) -> Bool {
    guard let a = try? QueryPlan(a, store.model), let b = try? QueryPlan(b, store.model) else {
      return false
    }
    return a.identity == b.identity
  }

  private func live<E: Entity, Value: Sendable>(
    _ query: Query<E>, groupedBy paths: [SendablePath], _ terms: [AggregateTerm<SendablePath>],
    _ reader: LiveValueReader<Value>
  ) -> LiveValue<Value> {
    let table = store.model.table(of: E.self)
    let counters = LiveCounters(of: store.activity)
    var columns: [Int] = []
    let result: LiveResult
    do throws(StoreError) {
      let groups = try table.columns(paths)
      let terms = try table.resolved(terms)
      columns = groups + terms.map { $0.attribute ?? Table.keyColumn }
      let fold = AggregateFold(terms, by: groups)
      result = LiveResult(
        LivePlan(try QueryPlan(query.inAnyOrder, store.model)), counters, reading: fold.reads,
        fold: fold)
      open(result)
    } catch {
      result = LiveResult(LivePlan(QueryPlan(everyRowOf: table)), counters, error)
      result.finish()
      store.writer.options.log.noteRefused(error)
    }
    return LiveValue(self, result, reader) { [columns] in table.error($0, columns) }
  }
}

extension Query {
  /// The query without its order, unless the order decides which entities it has.
  fileprivate var inAnyOrder: Query {
    if limit != nil || offset > 0 || !bounds.isEmpty { return self }
    var copy = self
    copy.sorts = []
    copy.ranking = nil
    return copy
  }
}
