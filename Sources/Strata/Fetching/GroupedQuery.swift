/// A query's entities in groups that share the values of some attributes.
///
/// ```swift
/// for (genre, count, longest) in try await view.fetch(
///   .count, .max(\.duration), of: Song.all.grouped(by: \.genre)) { … }
/// for ((genre, year), count) in try await view.fetch(
///   .count, of: Song.all.grouped(by: \.genre, \.year)) { … }
/// ```
///
/// No two groups have equal values. Texts are the same if Swift finds them equal, whatever their
/// spelling: "é" as one code point and as two are one group, whose text is the least of the spellings
/// that its entities have, in the order of bytes. Groups stand in Swift's order of strings. A filter
/// compares bytes, so `where { $0.genre == name }` finds the entities of one spelling.
///
/// Numbers, dates, bytes and UUIDs are the same if they are equal. Values of any other type are the same
/// if they are stored alike. If two of them are equal and stored differently, as another program can
/// write the decimals `1.1` and `1.10`, the fetch throws `invalidValue`, and a live value has it as its
/// error. All nil values are one group. A limit of the query counts entities, not groups.
public struct GroupedQuery<Root: Entity, Group: Sendable>: Sendable {
  let query: Query<Root>
  let paths: [SendablePath]
  /// The equality of the values at the paths.
  let identities: [GroupIdentity]
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

  /// Checks that no two groups are equal.
  ///
  /// - Parameter groups: the cells of each group.
  func check(_ groups: [[Cell]], _ table: Table) throws(StoreError) {
    if identities.allSatisfy(\.isStored) { return }
    var known = KnownGroups(identities)
    for group in groups { try known.add(group, paths, table) }
  }

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
    let identities = [GroupIdentity(Value.self)]
    return GroupedQuery(query: self, paths: [path], identities: identities) {
      values, cell throws(CodingFailure) in
      let value = try values.next(Value.self, cell)
      values.endGroup(cell)
      return value
    }
  }

  /// Returns the entities in groups that share the values of several attributes.
  public func grouped<First: AttributeValue, Second: AttributeValue, each Other: AttributeValue>(
    by first: any KeyPath<Root, First> & Sendable, _ second: any KeyPath<Root, Second> & Sendable,
    _ others: repeat any KeyPath<Root, each Other> & Sendable
  ) -> GroupedQuery<Root, (First, Second, repeat each Other)> {
    var paths: [SendablePath] = [first, second]
    repeat paths.append(each others)
    var identities = [GroupIdentity(First.self), GroupIdentity(Second.self)]
    repeat identities.append(GroupIdentity((each Other).self))
    return GroupedQuery(query: self, paths: paths, identities: identities) {
      values, cell throws(CodingFailure) in
      let group = (
        try values.next(First.self, cell), try values.next(Second.self, cell),
        repeat try values.next((each Other).self, cell)
      )
      values.endGroup(cell)
      return group
    }
  }
}
