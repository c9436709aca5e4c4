extension ViewContext {
  // MARK: - Live values

  /// A value made of all of a query's entities, kept up to date for as long as it is held.
  ///
  /// ```swift
  /// let number = view.live(.count, of: Song.where { $0.bpm > 100 })
  /// let longest = view.live(.max(\.duration), of: Song.all)
  /// ```
  ///
  /// Its first value is made in the background. A query that cannot be run, and a key path that is
  /// no attribute, is the value's `error`.
  ///
  /// - Complexity: O(log *n*) a change; O(*n*) of the rows shown if the query has a limit or
  ///   offset, and O(*d*) of the different values for `distinctCount`. The query's rows are kept in
  ///   memory.
  public func live<E: Entity, Value>(
    _ aggregate: Aggregate<E, Value>, of query: Query<E>
  ) -> LiveValue<Value> {
    live(query, groupedBy: [], aggregate.terms) { rows throws(CodingFailure) in
      var values = ValueReader()
      return try values.next(aggregate) { rows[0][$0] }
    }
  }

  /// A value for each group of a query's entities, kept up to date for as long as it is held.
  ///
  /// ```swift
  /// let songs = view.live(.count, of: Song.all.grouped(by: \.genre))
  /// let jazz = songs.value?["jazz"]
  /// ```
  ///
  /// A group is there as long as it has entities. Texts are grouped by their bytes: groups that
  /// differ in those but are equal in Swift, such as "é" in one code point and in two, have no
  /// place in one dictionary and are an `invalidValue` error, while `fetch` returns them both.
  ///
  /// - Complexity: as of ``live(_:of:)``, and O(*g*) a change for *g* groups.
  public func live<E: Entity, Group: Hashable, Value: Sendable>(
    _ aggregate: Aggregate<E, Value>, of query: GroupedQuery<E, Group>
  ) -> LiveValue<[Group: Value]> {
    live(query.query, groupedBy: query.paths, aggregate.terms) { rows throws(CodingFailure) in
      var groups: [Group: Value] = Dictionary(minimumCapacity: rows.count)
      for row in rows {
        var values = ValueReader()
        let group = try query.group(&values) { row[$0] }
        let value = try values.next(aggregate) { row[$0] }
        if groups.updateValue(value, forKey: group) != nil {
          throw CodingFailure(
            column: 0, error: ValueError("two groups of different bytes are equal in Swift"))
        }
      }
      return groups
    }
  }

  /// Whether two queries have the same result, whatever the store has: they compare the same
  /// attributes with equal values, in the same order and limits. A query that cannot be run is like
  /// no other.
  ///
  /// For views that are made again and again with the query that they show.
  ///
  /// - Complexity: O(*n*) of the conditions and values.
  public func isSame<E: Entity>(_ a: Query<E>, as b: Query<E>) -> Bool {
    guard let a = try? QueryPlan(a, store.model), let b = try? QueryPlan(b, store.model) else {
      return false
    }
    return a.identity == b.identity
  }

  private func live<E: Entity, Value: Sendable>(
    _ query: Query<E>, groupedBy paths: [SendablePath], _ terms: [AggregateTerm<SendablePath>],
    _ read: @escaping ([[Cell]]) throws(CodingFailure) -> Value
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
    }
    return LiveValue(result) { [columns] rows throws(StoreError) in
      do throws(CodingFailure) { return try read(rows) } catch {
        throw table.error(error, columns)
      }
    }
  }
}

extension Query {
  /// The same entities; in whatever order costs least, unless that decides which ones they are.
  fileprivate var inAnyOrder: Query {
    if limit != nil || offset > 0 { return self }
    var copy = self
    copy.sorts = []
    copy.ranking = nil
    return copy
  }
}
