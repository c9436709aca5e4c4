public import Strata

/// A row that the store has in another form than its server, as ``Replica/verify()`` finds it.
///
/// ```swift
/// for difference in try await replica.verify() {
///   print(difference)
/// }
/// ```
public struct RowDifference: Sendable {
  private let difference: ServerDifference

  init(_ difference: ServerDifference) { self.difference = difference }

  /// The name of the entity.
  public var entity: String { difference.table.entity }
  /// The key of the row.
  public var key: RecordKey { difference.key }
  /// The names of the attributes that differ; all of them if one of the two rows is missing.
  public var attributes: [String] { difference.attributes }

  /// Returns both rows, or nil if the difference is about another entity.
  ///
  /// `stored` is the row of the store, nil if it has none. `expected` is the server's row with the
  /// edits that wait, nil if there should be none.
  public func sides<E: Entity>(of type: E.Type) -> (stored: E?, expected: E?)? {
    difference.sides(of: type)
  }
}

/// The entity, the key, and the flaw.
extension RowDifference: CustomStringConvertible {
  public var description: String {
    let flaw =
      switch (difference.stored, difference.expected) {
      case (nil, _): "missing"
      case (_, nil): "not on the server"
      default: attributes.joined(separator: ", ") + " differ"
      }
    return "\(entity) \(key): \(flaw)"
  }
}
