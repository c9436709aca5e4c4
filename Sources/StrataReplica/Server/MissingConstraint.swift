/// A rule of a schema that the server does not enforce.
///
/// Each store enforces the rules of its schema for the edits that are made in it. Two hosts, or a program
/// that writes the server's tables, can still break a rule together, unless the server enforces it, too.
///
/// ```swift
/// for missing in await replica.diagnostics.missingConstraints { print(missing.statement) }
/// ```
public struct MissingConstraint: Sendable, Hashable {
  /// The kind of a rule.
  public enum Kind: String, Sendable, Hashable {
    /// No two rows have the same values of some attributes.
    case unique
    /// An attribute refers to a row that exists.
    case reference
    /// A value is one that the type of the attribute has.
    case check
  }

  /// The kind of the rule.
  public let kind: Kind
  /// The name of the entity.
  public let entity: String
  /// The names of the attributes.
  public let attributes: [String]
  /// The statement by which the owner of the server's table adds the rule. It fails if rows break the
  /// rule already.
  public let statement: String

  package init(_ kind: Kind, _ entity: String, _ attributes: [String], statement: String) {
    self.kind = kind
    self.entity = entity
    self.attributes = attributes
    self.statement = statement
  }
}

/// The rule and its statement.
extension MissingConstraint: CustomStringConvertible {
  public var description: String {
    "\(entity).\(attributes.joined(separator: ", ")), \(kind.rawValue): \(statement)"
  }
}
