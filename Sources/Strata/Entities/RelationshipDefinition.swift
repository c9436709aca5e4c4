/// The rule for entities that refer to a deleted entity.
///
/// ```swift
/// extension Song {
///   static let disc = toOne(\.albumID, Album.self, onDelete: .cascade)
/// }
/// ```
public enum DeleteRule: Sendable {
  /// Sets their reference to nil.
  case nullify
  /// Deletes them too.
  case cascade
  /// Refuses the save as long as such entities exist.
  case deny
}

/// The rule for entities that refer to a deleted entity and require the reference.
///
/// ```swift
/// let rules: [RequiredDeleteRule] = [.cascade, .deny]  // a required reference is never nil
/// ```
public enum RequiredDeleteRule: Sendable {
  /// Deletes them too.
  case cascade
  /// Refuses the save as long as such entities exist.
  case deny
}

/// A to-one reference without its types.
struct ReferenceDefinition: Sendable {
  let target: any Entity.Type
  let rule: DeleteRule
}

/// A to-many relationship without its types.
struct ToManyDefinition: Sendable {
  let target: any Entity.Type
  let inverse: SendablePath
  /// The attribute of the targets that orders them.
  let position: SendablePath?
  let source: SourceLine
}

/// A many-to-many relationship without its types.
struct ManyToManyDefinition: Sendable {
  let owner: any Entity.Type
  let target: any Entity.Type
  /// The name that tells apart several relationships between the same two entities.
  let name: String?
  /// The values that ``name`` had in stores of earlier versions.
  let formerNames: [String]
  /// Whether the owner's targets have an order of their own.
  let isOrdered: Bool
  let source: SourceLine

  /// The name of the join table.
  ///
  /// No entity's table name may start with "strata_", so the names cannot collide.
  var tableName: String {
    Self.tableName(Self.tableName(of: owner), name ?? Self.tableName(of: target))
  }

  static func tableName(_ owner: String, _ end: String) -> String { "\(prefix)\(owner).\(end)" }

  /// The prefix of the names of all join tables, and of no other tables.
  static let prefix = "strata_join_"

  private static func tableName<E: Entity>(of _: E.Type) -> String { E.schema.name }
}

/// A reference to an end of a many-to-many relationship.
struct LinkReference: Sendable {
  let definition: ManyToManyDefinition
  let isInverse: Bool
}
