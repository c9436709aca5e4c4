public import Strata

/// The rows of an entity that a replica follows.
///
/// ```swift
/// let replica = try await Replica.open(
///   stack, from: .postgres("host=db dbname=app"),
///   of: [.all(Album.self), .matching(Song.where { $0.plays >= 10 })])
/// ```
///
/// A row of the server that does not meet the filter is not in the store. A row that is edited here so
/// that it no longer meets the filter leaves the store once the server has the edit. If a later version
/// of the program has another filter, the replica reads the entity's rows again.
public struct ReplicatedRows: Sendable {
  let resolve: @Sendable (Stack) throws(ReplicaError) -> (table: Table, filter: RowFilter?)

  /// All rows of an entity.
  public static func all<E: Entity>(_ entity: E.Type) -> ReplicatedRows { matching(Query<E>.all) }

  /// The rows that a query finds.
  ///
  /// - Parameter query: a query that reads only the attributes of the row: no relationships, no
  ///   full-text search, no limit. Its order does not matter. The server leaves rows out of a copy by
  ///   conditions that compare an attribute with a value, and by text matches; other conditions are
  ///   decided after the row was read.
  public static func matching<E: Entity>(_ query: Query<E>) -> ReplicatedRows {
    rows(of: query, following: nil)
  }

  /// The rows that a query finds and that refer to a row that the replica follows.
  ///
  /// ```swift
  /// let rows: [ReplicatedRows] = [
  ///   .matching(Album.where { $0.year >= 2020 }),
  ///   .matching(Song.all, following: \.albumID),
  /// ]
  /// ```
  ///
  /// When a row of the server enters or leaves the store, the rows that refer to it do so, too, in the
  /// same commit. A row whose reference is nil is not in the store.
  ///
  /// - Parameters:
  ///   - query: a query as for ``matching(_:)``.
  ///   - reference: an attribute that refers to another entity. The replica follows that entity, too,
  ///     and the references of several entities must not lead back to the first.
  /// - Complexity: a row of the server that enters the store costs a search for the rows that refer to
  ///   it. Give the server's column an index.
  public static func matching<E: Entity, Value>(
    _ query: Query<E>, following reference: any KeyPath<E, Value> & Sendable
  ) -> ReplicatedRows {
    rows(of: query, following: reference)
  }

  private static func rows<E: Entity>(
    of query: Query<E>, following reference: (any PartialKeyPath<E> & Sendable)?
  ) -> ReplicatedRows {
    ReplicatedRows { stack throws(ReplicaError) in
      guard let table = stack.replicableTable(of: E.self) else { throw .unknown(E.self) }
      return try storingAtOnce { () throws(StoreError) in
        (table, try stack.rowFilter(query, following: reference))
      }
    }
  }
}

extension FollowedTables {
  package init(_ rows: [ReplicatedRows], _ stack: Stack) throws(ReplicaError) {
    let followed = try rows.map { rows throws(ReplicaError) in try rows.resolve(stack) }
    self = try storingAtOnce { () throws(StoreError) in
      try FollowedTables(stack.withLinks(followed))
    }
  }
}

extension ReplicaError {
  static func unknown(_ entity: any Entity.Type) -> ReplicaError {
    ReplicaError(
      .unknownEntity, "\(entity) is not an entity of the stack", advice: "open the stack with it")
  }
}
