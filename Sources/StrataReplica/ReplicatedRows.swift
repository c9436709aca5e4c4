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
  let resolve: @Sendable (Stack) throws(ReplicaError) -> ReplicatedTable

  /// All rows of an entity.
  public static func all<E: Entity>(_ entity: E.Type) -> ReplicatedRows { matching(Query<E>.all) }

  /// The rows that a query finds.
  ///
  /// - Parameter query: a query that reads only the attributes of the row: no relationships, no
  ///   full-text search, no limit. Its order does not matter. The server leaves rows out of a copy by
  ///   conditions that compare an attribute with a value, and by text matches; other conditions are
  ///   decided after the row was read.
  public static func matching<E: Entity>(_ query: Query<E>) -> ReplicatedRows {
    ReplicatedRows { stack throws(ReplicaError) in
      guard let table = stack.replicableTable(of: E.self) else { throw .unknown(E.self) }
      do throws(StoreError) {
        return ReplicatedTable(table, filter: try stack.rowFilter(query))
      } catch {
        throw ReplicaError(error)
      }
    }
  }
}

/// A table that a replica follows, with the filter of its rows.
package struct ReplicatedTable: Sendable {
  package let table: Table
  /// Nil for all rows.
  package let filter: RowFilter?

  package init(_ table: Table, filter: RowFilter? = nil) {
    self.table = table
    self.filter = filter
  }
}

extension ReplicaError {
  static func unknown(_ entity: any Entity.Type) -> ReplicaError {
    ReplicaError(
      .unknownEntity, "\(entity) is not an entity of the stack", advice: "open the stack with it")
  }
}
