/// A reference to one entity by its key.
///
/// Stored as an indexed column; the writer runs the delete rules, so every entity they touch is
/// announced like any other change. An optional reference may dangle and then reads as nil.
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

/// The entities whose to-one reference points here.
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

  /// The query for the entities that refer to `root`: in the order of their positions if the
  /// relationship is ordered, by key if not.
  ///
  /// Empty if the context shows no such root.
  public func callAsFunction(of root: Root) -> Query<Target> { callAsFunction(of: root.id) }

  /// The query for the entities that refer to the root that has a key.
  public func callAsFunction(of key: Root.ID) -> Query<Target> {
    refine(
      Query(
        filter: .equal(AttributeReference(definition.inverse), key),
        from: RelationshipSource(Root.self, [key], position: definition.position)))
  }
}

extension Entity {
  /// A reference that may be nil: `static let artist = toOne(\.artistID, Artist.self)`.
  public static func toOne<Target: Entity>(
    _ path: AttributePath<Self, Target.ID?>, _ target: Target.Type, _ name: String? = nil,
    onDelete rule: DeleteRule = .nullify, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToOne<Self, Target> {
    ToOne(path, name, rule, SourceLine(fileID, line))
  }

  /// A reference that is always there; the target is checked when it is saved.
  public static func toOne<Target: Entity>(
    _ path: AttributePath<Self, Target.ID>, _ target: Target.Type, _ name: String? = nil,
    onDelete rule: RequiredDeleteRule, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToOne<Self, Target> {
    let rule: DeleteRule = rule == .cascade ? .cascade : .deny
    return ToOne(path, name, rule, SourceLine(fileID, line))
  }

  /// The entities that refer here: `static let songs = toMany(\Song.artistID)`.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID?>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: nil, source: SourceLine(fileID, line)))
  }

  /// The entities that refer here and cannot do without: `static let songs =
  /// toMany(\Song.artistID)`.
  public static func toMany<Target: Entity>(
    _ inverse: AttributePath<Target, ID>, fileID: StaticString = #fileID, line: UInt = #line
  ) -> ToMany<Self, Target> {
    ToMany(
      ToManyDefinition(
        target: Target.self, inverse: inverse, position: nil, source: SourceLine(fileID, line)))
  }

  /// The entities that refer here, in the order of an attribute:
  /// `static let songs = toMany(\Song.albumID, orderedBy: \Song.position)`.
  ///
  /// The attribute is the contexts' to assign, in `insert(_:at:in:of:)` and `move(_:to:in:of:)`:
  /// a number between those of the neighbours. Where it is equal, the keys decide.
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

  /// The entities that refer here and cannot do without, in the order of an attribute.
  ///
  /// The attribute is the contexts' to assign, in `insert(_:at:in:of:)` and `move(_:to:in:of:)`:
  /// a number between those of the neighbours. Where it is equal, the keys decide.
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

/// How an entity is put into an ordered to-many.
struct Ordering<Root: Entity, Target: Entity>: Sendable {
  let position: AttributePath<Target, Double>
  /// Makes the target refer to the root that has a key.
  let refer: @Sendable (inout Target, Root.ID) -> Void
}

extension ToOne {
  /// The reference's column had another name in stores of earlier versions, the newest first.
  public func formerly(_ names: String...) -> Self {
    var copy = self
    copy.definition.evolution.formerNames += names
    return copy
  }

  /// How a reference of an earlier type becomes one of today's; nil only if it may be nil.
  public func converted<Old: AttributeValue>(
    from old: Old.Type = Old.self, _ convert: @escaping @Sendable (Old) throws -> Target.ID?
  ) -> Self {
    var copy = self
    copy.definition.evolution.conversions.append(AttributeConversion(convert))
    return copy
  }

  /// The target of rows that are there before the reference is, or whose reference was nil.
  public func migrationDefault(_ target: Target.ID) -> Self {
    var copy = self
    copy.definition.evolution.fallback = target.storedCell
    return copy
  }
}
