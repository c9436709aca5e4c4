/// A relationship to the entities whose to-one reference points here.
///
/// ```swift
/// extension Artist {
///   static let recordings = toMany(\Song.artistID)
/// }
/// ```
public struct ToMany<Root: Entity, Target: Entity>: SchemaElement {
  let definition: ToManyDefinition
  let ordering: Ordering<Root, Target>?
  let refine: @Sendable (Query<Target>) -> Query<Target>

  public var _element: _ElementDefinition { _ElementDefinition(content: .toMany(definition)) }

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
