/// Entities on both sides, any number on each: a note has tags, a tag has notes.
///
/// The links are kept in a table that the stack owns. A link belongs to both entities and goes
/// with either of them; linking twice is linking once; links never conflict.
public struct ManyToMany<Root: Entity, Target: Entity>: SchemaElement {
  let definition: ManyToManyDefinition
  /// Whether this is the other end of a relationship that `Target` declares.
  let isInverse: Bool
  let refine: @Sendable (Query<Target>) -> Query<Target>

  public var element: ElementDefinition { ElementDefinition(content: .manyToMany(definition)) }

  init(
    _ definition: ManyToManyDefinition, isInverse: Bool,
    refine: @escaping @Sendable (Query<Target>) -> Query<Target> = { $0 }
  ) {
    self.definition = definition
    self.isInverse = isInverse
    self.refine = refine
  }

  /// The query for the entities that are linked with `root`: in the order of their positions if
  /// the relationship is ordered, by key if not.
  ///
  /// Empty if the context shows no such root.
  public func callAsFunction(of root: Root) -> Query<Target> { callAsFunction(of: root.id) }

  /// The query for the entities that are linked with the root that has a key.
  public func callAsFunction(of key: Root.ID) -> Query<Target> {
    refine(Query(from: RelationshipSource(Root.self, [key], link: reference)))
  }

  var reference: LinkReference { LinkReference(definition: definition, isInverse: isInverse) }
}

extension Entity {
  /// Links with any number of entities: `static let tags = manyToMany(Tag.self)`.
  ///
  /// The other side, if it wants to read them, declares
  /// `static let notes = manyToMany(inverseOf: \Note.Type.tags)`.
  ///
  /// - Parameters:
  ///   - target: the other entity.
  ///   - name: tells apart several relationships between the same two entities; part of the join
  ///     table's name.
  ///   - formerNames: what `name` was in stores of earlier versions, the newest first; if it had
  ///     none, the name of the target's table.
  ///   - ordered: whether this side's links have an order of their own.
  ///   - fileID: of the declaration, for the errors that name it.
  ///   - line: of the declaration.
  public static func manyToMany<Target: Entity>(
    _ target: Target.Type, _ name: String? = nil, formerly formerNames: [String] = [],
    ordered: Bool = false,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> ManyToMany<Self, Target> {
    ManyToMany(
      ManyToManyDefinition(
        owner: Self.self, target: target, name: name, formerNames: formerNames, isOrdered: ordered,
        source: SourceLine(fileID, line)),
      isInverse: false)
  }

  /// The other end of a many-to-many relationship:
  /// `static let notes = manyToMany(inverseOf: \Note.Type.tags)`.
  ///
  /// Both ends read the same links.
  public static func manyToMany<Target: Entity>(
    inverseOf relationship: any KeyPath<Target.Type, ManyToMany<Target, Self>> & Sendable
  ) -> ManyToMany<Self, Target> {
    let other = Target.self[keyPath: relationship]
    return ManyToMany(other.definition, isInverse: !other.isInverse)
  }
}
