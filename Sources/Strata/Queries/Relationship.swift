/// A reference to one entity by its key.
///
/// The reference is stored in an indexed column. The writer runs the delete rules, so every change
/// of an entity by a rule is reported like any other change. An optional reference may point to a
/// missing entity and then reads as nil.
public struct ToOne<Root: Entity, Target: Entity>: SchemaElement {
  var definition: AttributeDefinition

  public var element: ElementDefinition { ElementDefinition(content: .attribute(definition)) }

  init<Value: AttributeValue>(
    _ path: AttributePath<Root, Value>, _ name: String?, _ rule: DeleteRule, _ source: SourceLine
  ) {
    var definition = AttributeDefinition(path, name: name, source: source)
    definition.reference = ReferenceDefinition(target: Target.self, rule: rule)
    self.definition = definition
  }
}

/// A relationship to the entities whose to-one reference points here.
public struct ToMany<Root: Entity, Target: Entity>: SchemaElement {
  let definition: ToManyDefinition
  let ordering: Ordering<Root, Target>?
  let refine: @Sendable (Query<Target>) -> Query<Target>

  public var element: ElementDefinition { ElementDefinition(content: .toMany(definition)) }

  init(
    _ definition: ToManyDefinition, _ ordering: Ordering<Root, Target>? = nil,
    refine: @escaping @Sendable (Query<Target>) -> Query<Target> = { $0 }
  ) {
    self.definition = definition
    self.ordering = ordering
    self.refine = refine
  }

  /// Returns the query for the entities that refer to `root`.
  ///
  /// They are in the order of their positions if the relationship is ordered, and otherwise in the
  /// order of their keys. The result is empty if the context does not show the root.
  public func callAsFunction(of root: Root) -> Query<Target> { callAsFunction(of: root.id) }

  /// Returns the query for the entities that refer to the root with the given key.
  public func callAsFunction(of key: Root.ID) -> Query<Target> {
    refine(
      Query(
        filter: .equal(AttributeReference(definition.inverse), key),
        from: RelationshipSource(Root.self, [key], position: definition.position)))
  }
}

extension Entity {
  /// Declares a reference that may be nil: `static let artist = toOne(\.artistID, Artist.self)`.
  public static func toOne<Target: Entity>(
    _ path: AttributePath<Self, Target.ID?>, _ target: Target.Type, _ name: String? = nil,
    onDelete rule: DeleteRule = .nullify, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToOne<Self, Target> {
    ToOne(path, name, rule, SourceLine(fileID, line))
  }

  /// Declares a reference that is never nil.
  ///
  /// A save checks that the target exists.
  public static func toOne<Target: Entity>(
    _ path: AttributePath<Self, Target.ID>, _ target: Target.Type, _ name: String? = nil,
    onDelete rule: RequiredDeleteRule, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToOne<Self, Target> {
    let rule: DeleteRule = rule == .cascade ? .cascade : .deny
    return ToOne(path, name, rule, SourceLine(fileID, line))
  }

  /// Declares a relationship to the entities that refer here:
  /// `static let songs = toMany(\Song.artistID)`.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID?>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: nil, source: SourceLine(fileID, line)))
  }

  /// Declares a relationship to the entities that refer here with a required reference:
  /// `static let songs = toMany(\Song.artistID)`.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: nil, source: SourceLine(fileID, line)))
  }

  /// Declares a relationship to the entities that refer here, in the order of an attribute:
  /// `static let songs = toMany(\Song.albumID, orderedBy: \Song.position)`.
  ///
  /// The contexts assign the attribute in `insert(_:at:in:of:)` and `move(_:to:in:of:)`, as a
  /// number between those of the neighbours. If two numbers are equal, the keys decide.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID?>, orderedBy position: AttributePath<Target, Double>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: position,
        source: SourceLine(fileID, line)),
      Ordering(position: position) { $0[keyPath: inverse] = $1 })
  }

  /// Declares a relationship to the entities that refer here with a required reference, in the
  /// order of an attribute.
  ///
  /// The contexts assign the attribute in `insert(_:at:in:of:)` and `move(_:to:in:of:)`, as a
  /// number between those of the neighbours. If two numbers are equal, the keys decide.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID>, orderedBy position: AttributePath<Target, Double>,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: position,
        source: SourceLine(fileID, line)),
      Ordering(position: position) { $0[keyPath: inverse] = $1 })
  }
}

/// The assignments that put an entity into an ordered to-many.
struct Ordering<Root: Entity, Target: Entity>: Sendable {
  let position: AttributePath<Target, Double>
  /// Makes the target refer to the root with a key.
  let refer: @Sendable (inout Target, Root.ID) -> Void
}

extension ToOne {
  /// Declares names that the reference's column had in stores of earlier versions, the newest
  /// first.
  public func formerly(_ names: String...) -> Self {
    var copy = self
    copy.definition.evolution.formerNames += names
    return copy
  }

  /// Declares how references of an earlier type are converted to the reference's type.
  ///
  /// If the conversion of a required reference returns nil, the row gets the
  /// `migrationDefault(_:)`. Without a default, the migration is refused.
  public func converted<Old: AttributeValue>(
    from old: Old.Type = Old.self, _ convert: @escaping @Sendable (Old) throws -> Target.ID?
  ) -> Self {
    var copy = self
    copy.definition.evolution.conversions.append(AttributeConversion(convert))
    return copy
  }

  /// Declares the target of existing rows for a new reference, or for a reference that was nil.
  public func migrationDefault(_ target: Target.ID) -> Self {
    var copy = self
    copy.definition.evolution.fallback = target.storedCell
    return copy
  }
}
