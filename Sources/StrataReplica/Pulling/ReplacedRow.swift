public import Strata

/// A row of this store that has lost a conflict between two other values: an edit of another host has replaced
/// the value that this store had.
///
/// ```swift
/// for await row in replica.replacedRows {
///   guard let sides = row.sides(of: Song.self) else { continue }
///   print(row.by, "has replaced", sides.mine?.title ?? "–", "by", sides.theirs?.title ?? "a deletion")
/// }
/// ```
public struct ReplacedRow: Sendable {
  private let difference: ServerDifference
  /// The host whose edit stays: the `application_name` of its connection to the server, which may be empty.
  public let by: String

  init(_ difference: ServerDifference, by: String) {
    (self.difference, self.by) = (difference, by)
  }

  /// The name of the entity.
  public var entity: String { difference.table.entity }
  /// The key of the row.
  public var key: RecordKey { difference.key }
  /// The names of the attributes that have another value now; all of them after a deletion.
  public var attributes: [String] { difference.attributes }

  /// Returns the row as this store had it and as it has it now, or nil if it is of another entity.
  ///
  /// `theirs` is nil if the other host has deleted the row.
  public func sides<E: Entity>(of type: E.Type) -> (mine: E?, theirs: E?)? {
    difference.sides(of: type).map { ($0.stored, $0.expected) }
  }
}

/// The entity, the key, and what another host has replaced.
extension ReplacedRow: CustomStringConvertible {
  public var description: String {
    let host = by.isEmpty ? "another host" : by
    let change =
      difference.expected == nil
      ? "has deleted the row" : "has replaced " + attributes.joined(separator: ", ")
    return "\(entity) \(key): \(host) \(change)"
  }
}
