/// A reference to one entity by its key.
///
/// The reference is stored in an indexed column. The writer runs the delete rules, so every change
/// of an entity by a rule is reported like any other change. An optional reference may point to a
/// missing entity and then reads as nil.
///
/// ```swift
/// extension Song {
///   static let singer = toOne(\.artistID, Artist.self, onDelete: .nullify)
/// }
/// ```
public struct ToOne<Root: Entity, Target: Entity>: SchemaElement {
  var definition: AttributeDefinition

  public var _element: _ElementDefinition { _ElementDefinition(content: .attribute(definition)) }

  init<Value: AttributeValue>(
    _ path: AttributePath<Root, Value>, _ name: String?, _ rule: DeleteRule, _ source: SourceLine
  ) {
    var definition = AttributeDefinition(path, name: name, source: source)
    definition.reference = ReferenceDefinition(target: Target.self, rule: rule)
    self.definition = definition
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
