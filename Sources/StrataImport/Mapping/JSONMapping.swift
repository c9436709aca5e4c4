public import Strata

/// Where an attribute's value is in each JSON record.
public struct Field<Root: Entity>: Sendable {
  private(set) var definition: FieldDefinition

  /// The attribute at `path` comes from the member at `key`.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - key: a member's name, or names separated by dots for nested objects, with an index in
  ///     brackets for an array's element: `"geometry.coordinates[0]"`.
  ///   - conversion: how the JSON value becomes the attribute's.
  ///   - fallback: what a record gets in which the member is missing or null. Without it, a missing
  ///     member leaves the attribute alone, or at its default in a new record.
  public init<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ key: String,
    _ conversion: Conversion<Value> = .automatic, default fallback: Value? = nil
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: [key], kind: conversion.kind, convert: conversion.convert,
      unknown: conversion.unknown)
    if let fallback {
      definition.fallback = { () throws(ValueError) -> Cell in try fallback.cell }
    }
  }

  /// The text attribute at `path` comes from several members, in their order: a key such as
  /// `"2026/17"` of the members `season` and `number`.
  ///
  /// Each member is required, and is a text or a whole number. A record is refused in which one of
  /// them contains the separator: two different records could have one key.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - keys: the members' keys; at least one.
  ///   - separator: what stands between the values; not empty.
  public init(
    _ path: any WritableKeyPath<Root, String> & Sendable, joining keys: [String],
    separator: String
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: keys, kind: .name, convert: nil, separator: separator)
  }

  /// Takes the value from the member at `key` if there is none at the keys before.
  public func or(_ key: String) -> Self {
    var copy = self
    copy.definition.keys.append(key)
    return copy
  }

  /// Refuses records in which the member is missing or null.
  public func required() -> Self {
    var copy = self
    copy.definition.isRequired = true
    return copy
  }

  /// Takes the value for new records only; an update leaves the attribute alone.
  public func onlyWhenInserted() -> Self {
    var copy = self
    copy.definition.isOnlyWhenInserted = true
    return copy
  }

  /// Takes a string that is exactly one JSON number, such as `"12.50"`, for that number.
  public func allowingNumberInString() -> Self {
    var copy = self
    copy.definition.allowsNumberInString = true
    return copy
  }
}

extension Field where Root.ID == String {
  /// Lets a record without the key be known by its position in the feed, from 0.
  ///
  /// Only for the key's field of a feed's records, not of those in an array inside of them, and
  /// only for a feed of one source or page, where no two records have one position; anything else
  /// is refused as an ``ImportError`` with code `invalidMapping`. Only sensible for feeds that keep
  /// their order.
  public func orPosition() -> Self {
    var copy = self
    copy.definition.positionKey = { .text(String($0)) }
    return copy
  }
}

extension Field where Root.ID == Int {
  /// Lets a record without the key be known by its position in the feed, from 0.
  ///
  /// Only for the key's field of a feed's records, not of those in an array inside of them, and
  /// only for a feed of one source or page, where no two records have one position; anything else
  /// is refused as an ``ImportError`` with code `invalidMapping`. Only sensible for feeds that keep
  /// their order.
  public func orPosition() -> Self {
    var copy = self
    copy.definition.positionKey = { .integer(Int64($0)) }
    return copy
  }
}

/// A part of a ``JSONMapping``.
public struct MappingPart<Root: Entity>: Sendable {
  let part: MappingDefinition.Part
}

/// Collects the parts of a ``JSONMapping``.
@resultBuilder public enum JSONMappingBuilder<Root: Entity> {
  /// Adds the field of an attribute.
  public static func buildExpression(_ field: Field<Root>) -> [MappingPart<Root>] {
    [MappingPart(part: .field(field.definition))]
  }
  /// Adds an object inside of the record.
  public static func buildExpression(_ object: NestedObject<Root>) -> [MappingPart<Root>] {
    [MappingPart(part: object.part)]
  }
  /// Adds an array of objects inside of the record.
  public static func buildExpression(_ array: NestedArray<Root>) -> [MappingPart<Root>] {
    [MappingPart(part: array.part)]
  }
  /// The parts in the order in which they are listed.
  public static func buildBlock(_ parts: [MappingPart<Root>]...) -> [MappingPart<Root>] {
    parts.flatMap { $0 }
  }
}

/// How an entity is made from JSON records: one field for each attribute that the feed has.
///
/// ```swift
/// static let json = JSONMapping<Song> {
///   Field(\.id, "id")
///   Field(\.title, "title").required()
///   Field(\.bpm, "tempo.bpm")
///   Field(\.updatedAt, "updated_at", .iso8601)
///   NestedObject(\.artistID, "artist", Artist.json)
/// }
/// ```
///
/// The key's field is always required. A member that is missing leaves its attribute alone, or at
/// its default in a new record; so does null for an attribute that is not optional. Attributes
/// without a field belong to the app: an import never changes them. Defaults that are another value
/// for every new entity, such as `UUID()`, are another value in every new row.
public struct JSONMapping<Root: Entity>: Sendable {
  let definition: MappingDefinition

  /// A mapping of the given fields.
  public init(
    _ root: Root.Type = Root.self, @JSONMappingBuilder<Root> _ parts: () -> [MappingPart<Root>]
  ) {
    definition = MappingDefinition(entity: Root.self, parts: parts().map(\.part))
  }

  private init(_ definition: MappingDefinition) { self.definition = definition }

  /// The mapping that an entity's schema suggests.
  ///
  /// Each attribute is looked for under its column's name, as it is, in snake_case and in
  /// camelCase: `artistID`, `artist_id`, `artistId`. The target of a reference called `artistID` is
  /// imported from an object called `artist`, and entities whose only reference to this one it is
  /// from an array with the name of their table, `songs`; each by its own schema, but never an
  /// entity inside of itself. Values are converted as ``Conversion/automatic`` says.
  public static var automatic: Self {
    Self(MappingDefinition(entity: Root.self, parts: nil))
  }

  /// The same mapping, and every record has the given value in an attribute that the feed does not
  /// have: the album whose songs were asked for.
  ///
  /// ```swift
  /// let mapping = Song.json.setting(\.albumID, to: 5)
  /// try await stack.importJSON(Song.self, from: .file(url), mapping: mapping)
  /// ```
  ///
  /// The value stands above whatever a record says of the attribute. An import with the value of a
  /// key fails with an ``ImportError`` with code `invalidMapping`.
  public func setting<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, to value: Value
  ) -> Self {
    var copy = definition
    copy.constants.append(
      ConstantDefinition(
        attribute: .path(path), cell: { () throws(ValueError) -> Cell in try value.cell }))
    return Self(copy)
  }
}
