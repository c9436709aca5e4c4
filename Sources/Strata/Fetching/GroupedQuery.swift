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
