/// What happens to the entities that refer to a deleted one.
public enum DeleteRule: Sendable {
  /// Their reference becomes nil.
  case nullify
  /// They are deleted too.
  case cascade
  /// The save is refused as long as there are any.
  case deny
}

/// What happens to the entities that refer to a deleted one and cannot do without it.
public enum RequiredDeleteRule: Sendable {
  /// They are deleted too.
  case cascade
  /// The save is refused as long as there are any.
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
  /// Tells apart several relationships between the same two entities.
  let name: String?
  /// What ``name`` was in stores of earlier versions.
  let formerNames: [String]
  /// Whether the owner's targets have an order of their own.
  let isOrdered: Bool
  let source: SourceLine

  /// The name of the join table. No entity's table may start with "strata_".
  var tableName: String {
    Self.tableName(Self.tableName(of: owner), name ?? Self.tableName(of: target))
  }

  static func tableName(_ owner: String, _ end: String) -> String { "\(prefix)\(owner).\(end)" }

  /// What every join table's name begins with, and no other table's.
  static let prefix = "strata_join_"

  private static func tableName<E: Entity>(of _: E.Type) -> String { E.schema.name }
}

/// One end of a many-to-many relationship.
struct LinkReference: Sendable {
  let definition: ManyToManyDefinition
  let isInverse: Bool
}
