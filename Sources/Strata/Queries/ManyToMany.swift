/// A relationship with any number of entities on both sides: a note has tags, a tag has notes.
///
/// The stack keeps the links in a table that it owns. A link belongs to both entities and is
/// deleted with either of them. Linking two entities twice is the same as linking them once. Links
/// never conflict.
///
/// ```swift
/// let note = Note(title: "Practice")
/// view.insert(note)
/// view.insert(Tag(id: "music"))
/// view.link(note.id, to: "music", in: Note.tags)
/// let tags = try await view.fetch(Note.tags(of: note))
/// ```
public struct ManyToMany<Root: Entity, Target: Entity>: SchemaElement {
  let definition: ManyToManyDefinition
  /// Whether this is the other end of a relationship that `Target` declares.
  let isInverse: Bool
  let refine: @Sendable (Query<Target>) -> Query<Target>

  public var _element: _ElementDefinition { _ElementDefinition(content: .manyToMany(definition)) }

  /// The name of the table of the links in a store.
  package var tableName: String { definition.tableName }

  init(
    _ definition: ManyToManyDefinition, isInverse: Bool,
    refine: @escaping @Sendable (Query<Target>) -> Query<Target> = { $0 }
  ) {
    self.definition = definition
    self.isInverse = isInverse
    self.refine = refine
  }

  /// Returns the query for the entities that are linked with `root`.
  ///
  /// They are in the order of their positions if the relationship is ordered, and otherwise in the
  /// order of their keys. The result is empty if the context does not show the root.
  public func callAsFunction(of root: Root) -> Query<Target> { callAsFunction(of: root.id) }

  /// Returns the query for the entities that are linked with the root with the given key.
  public func callAsFunction(of key: Root.ID) -> Query<Target> {
    refine(Query(from: RelationshipSource(Root.self, [key], link: reference)))
  }

  var reference: LinkReference { LinkReference(definition: definition, isInverse: isInverse) }
}

extension Entity {
  /// Declares links with any number of entities: `static let tags = manyToMany(Tag.self)`.
  ///
  /// To read the links from the other side, the target declares
  /// `static let notes = manyToMany(inverseOf: \Note.Type.tags)`.
  ///
  /// - Parameters:
  ///   - target: the other entity.
  ///   - name: a name that tells apart several relationships between the same two entities. It is
  ///     part of the join table's name.
  ///   - formerNames: the values of `name` in stores of earlier versions, the newest first. For a
  ///     version without a name, it is the name of the target's table.
  ///   - ordered: whether this side's links have an order of their own.
  ///   - fileID: the file of the declaration, for error messages.
  ///   - line: the line of the declaration.
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

  /// Declares the other end of a many-to-many relationship:
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
