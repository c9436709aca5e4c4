public import Strata

/// A row of the server that the store cannot have.
///
/// The row is missing in the store, on every host with this program. All other rows go on to come. It comes
/// as soon as the server has it in a form that the store can have:
///
/// ```swift
/// for row in try await replica.withheld() {
///   print(row.entity, row.key, row.attributes, row.message)
/// }
/// ```
///
/// Such a row has a value that no attribute has, such as NaN, null in an attribute that is not optional,
/// or a text that is no case of an enumeration. Or another row of the server, whose key is less, has one
/// of its unique values.
public struct WithheldRow: Sendable {
  /// The name of the entity.
  public let entity: String
  /// The key of the row.
  public let key: RecordKey
  /// The names of the attributes that the store cannot have; empty if it cannot have the whole row.
  public let attributes: [String]
  /// The flaw of the row, with the server's names of the table and the column.
  public let message: String

  init(_ entry: WithheldEntry) {
    entity = entry.table.entity
    key = entry.key
    attributes = entry.flaw.attributes
    message = entry.flaw.message
  }
}

extension Replica {
  /// Returns the rows of the server that the store cannot have. An `UPDATE` on the server mends them.
  ///
  /// - Throws: ``ReplicaError`` with code `store`.
  /// - Complexity: O(*n*) of these rows.
  public func withheld() async throws(ReplicaError) -> [WithheldRow] {
    try await storing { () async throws(StoreError) in
      try await stack.withheldRows(of: tables)
    }.map(WithheldRow.init)
  }
}
