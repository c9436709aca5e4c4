/// A query's entities in groups that share the values of some attributes.
///
/// ```swift
/// for (genre, count, longest) in try await view.fetch(
///   .count, .max(\.duration), of: Song.all.grouped(by: \.genre)) { … }
/// for ((genre, year), count) in try await view.fetch(
///   .count, of: Song.all.grouped(by: \.genre, \.year)) { … }
/// ```
///
/// The store decides whether two values are the same: it compares texts byte by byte and numbers by
/// value. All nil values are one group. A limit of the query counts entities, not groups.
public struct GroupedQuery<Root: Entity, Group: Sendable>: Sendable {
  let query: Query<Root>
  let paths: [SendablePath]
  /// Reads the values that a group shares.
  let group: @Sendable (inout ValueReader, (Int) -> Cell) throws(CodingFailure) -> Group
  /// The conditions that groups have to meet.
  private(set) var conditions: [GroupCondition] = []

  /// Returns the groups that meet a condition on a value made of their entities.
  ///
  /// ```swift
  /// let busy = Song.all.grouped(by: \.genre).having(.count) { $0 >= 10 }
  /// let plays = view.live(.sum(\.plays), of: busy)
  /// ```
  ///
  /// Several conditions have to be met together. The condition may be called on any thread, and has to
  /// return the same for the same value.
  ///
  /// - Complexity: one more call for each group that is fetched, or that changes in a live value.
  public func having<Value>(
    _ aggregate: Aggregate<Root, Value>, _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> Self {
    var copy = self
    copy.conditions.append(
      GroupCondition(terms: aggregate.terms) { values, cell throws(CodingFailure) in
        isIncluded(try values.next(aggregate, cell))
      })
    return copy
  }

  /// The terms of all conditions.
  var conditionTerms: [AggregateTerm<SendablePath>] { conditions.flatMap(\.terms) }

  /// Returns whether a group meets all conditions, whose terms come next.
  func isIncluded(
    _ values: inout ValueReader, _ cell: (Int) -> Cell
  ) throws(CodingFailure) -> Bool {
    var isIncluded = true
    for condition in conditions {
      if try !condition.isMet(&values, cell) { isIncluded = false }
    }
    return isIncluded
  }
}

/// A condition on a value made of a group's entities.
struct GroupCondition: Sendable {
  let terms: [AggregateTerm<SendablePath>]
  /// Reads the value of the terms, and returns whether it meets the condition.
  let isMet: @Sendable (inout ValueReader, (Int) -> Cell) throws(CodingFailure) -> Bool
}

extension Query {
  /// Returns the entities in groups that share the value of an attribute.
  public func grouped<Value: AttributeValue>(
    by path: any KeyPath<Root, Value> & Sendable
  ) -> GroupedQuery<Root, Value> {
    GroupedQuery(query: self, paths: [path]) { values, cell throws(CodingFailure) in
      try values.next(Value.self, cell)
    }
  }

  /// Returns the entities in groups that share the values of several attributes.
  public func grouped<First: AttributeValue, Second: AttributeValue, each Other: AttributeValue>(
    by first: any KeyPath<Root, First> & Sendable, _ second: any KeyPath<Root, Second> & Sendable,
    _ others: repeat any KeyPath<Root, each Other> & Sendable
  ) -> GroupedQuery<Root, (First, Second, repeat each Other)> {
    var paths: [SendablePath] = [first, second]
    repeat paths.append(each others)
    return GroupedQuery(query: self, paths: paths) { values, cell throws(CodingFailure) in
      (
        try values.next(First.self, cell), try values.next(Second.self, cell),
        repeat try values.next((each Other).self, cell)
      )
    }
  }
}
