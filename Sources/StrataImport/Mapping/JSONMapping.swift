public import Strata

/// The member of a JSON record that has an attribute's value.
///
/// ```swift
/// JSONMapping<Song> {
///   Field(\.id, "id").allowingNumberInString()
///   Field(\.title, "title").or("name").required()
///   Field(\.plays, "stats.plays", default: 0).onlyWhenInserted()
/// }
/// ```
public struct Field<Root: Entity>: Sendable {
  private(set) var definition: FieldDefinition

  /// Reads the attribute at `path` from the member at `key`.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - key: a member's name, or names separated by dots for nested objects, with an index in
  ///     brackets for an array's element: `"geometry.coordinates[0]"`. A name with a dot or a bracket
  ///     stands in brackets and quotes, as in JSONPath (RFC 9535): `"base['Sp. Attack']"`.
  ///   - conversion: the conversion of the JSON value to the attribute's value.
  ///   - fallback: the value for a record in which the member is missing or null. Without it, a
  ///     missing member leaves the attribute alone, or at its default in a new record.
  public init<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ key: String,
    _ conversion: Conversion<Value> = .automatic, default fallback: Value? = nil
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: [key], kind: conversion.kind, convert: conversion.convert,
      write: conversion.write, unknown: conversion.unknown)
    if let fallback {
      definition.fallback = { () throws(ValueError) -> Cell in try fallback.cell }
    }
  }

  /// Reads the attribute at `path` from the name of the member that has the record.
  ///
  /// It is for records that are the members of an object: in ``JSONFormat/members``, in
  /// ``JSONRecords/init(_:membersOf:_:)``, and in a ``NestedArray``, which then reads an object.
  ///
  /// ```swift
  /// // {"10009": {"name": "Kiel"}}
  /// JSONMapping<Stop> {
  ///   Field(memberName: \.id)
  ///   Field(\.name, "name")
  /// }
  /// ```
  ///
  /// A number's digits in the name are the number. The name is not written into the body of a push
  /// request; an export writes it only as ``JSONFormat/members``.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - conversion: the conversion of the name, which is a text, to the attribute's value.
  public init<Value: AttributeValue>(
    memberName path: any WritableKeyPath<Root, Value> & Sendable,
    _ conversion: Conversion<Value> = .automatic
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: [], kind: conversion.kind, convert: conversion.convert,
      write: conversion.write)
    definition.readsName = true
  }

  /// Reads the attribute at `path` from the record itself, which is a plain value such as a text.
  ///
  /// ```swift
  /// // {"id": 1, "tags": ["live", "new"]}
  /// let tag = JSONMapping<Tag> { Field(value: \.id) }
  /// let song = JSONMapping<Song> {
  ///   Field(\.id, "id")
  ///   NestedArray(Song.tags, "tags", tag)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - conversion: the conversion of the value to the attribute's value.
  public init<Value: AttributeValue>(
    value path: any WritableKeyPath<Root, Value> & Sendable,
    _ conversion: Conversion<Value> = .automatic
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: [], kind: conversion.kind, convert: conversion.convert,
      write: conversion.write, unknown: conversion.unknown)
    definition.readsRecord = true
  }

  /// Joins several members, in their order, into the text attribute at `path`.
  ///
  /// For example, the members `season` and `number` give the key `"2026/17"`. Each member is
  /// required, and is a text or a whole number. A record is refused if a value contains the
  /// separator, because two different records could then have one key.
  ///
  /// - Parameters:
  ///   - path: the attribute.
  ///   - keys: the members' keys; at least one.
  ///   - separator: the text between the values; not empty.
  public init(
    _ path: any WritableKeyPath<Root, String> & Sendable, joining keys: [String],
    separator: String
  ) {
    definition = FieldDefinition(
      attribute: .path(path), keys: keys, kind: .name, convert: nil, separator: separator)
  }

  /// Reads the value from the member at `key` if the record has no member at the earlier keys.
  public func or(_ key: String) -> Self {
    var copy = self
    copy.definition.keys.append(key)
    return copy
  }

  /// Reads the value from the name of the member that has the record, if the record has no member at
  /// the keys; see ``init(memberName:_:)``.
  public func orMemberName() -> Self {
    var copy = self
    copy.definition.readsName = true
    return copy
  }

  /// Refuses records in which the member is missing or null.
  public func required() -> Self {
    var copy = self
    copy.definition.isRequired = true
    return copy
  }

  /// Writes the value of new rows only; an update leaves the attribute alone.
  public func onlyWhenInserted() -> Self {
    var copy = self
    copy.definition.isOnlyWhenInserted = true
    return copy
  }

  /// Reads the member and never writes it, neither in an export nor in the body of a push request.
  ///
  /// It is for an attribute that only the server sets, or that has the same value as another
  /// attribute: two fields may read one member, each in its own way. The key cannot be
  /// read-only: exporting such a mapping throws ``ImportError`` with code `invalidMapping`.
  public func readOnly() -> Self {
    var copy = self
    copy.definition.isReadOnly = true
    return copy
  }

  /// Reads a string that is exactly one JSON number, such as `"12.50"`, as that number, and a whole
  /// number as the text of its digits if the attribute is a text.
  public func allowingNumberInString() -> Self {
    var copy = self
    copy.definition.allowsNumberInString = true
    return copy
  }
}

extension Field where Root.ID == String {
  /// Gives a record without a key its position in the feed, from 0, as the key.
  ///
  /// The field must be the key of the feed's own records, not of nested entities. The feed must
  /// have one source or page, so that no two records have one position. Otherwise the import fails
  /// with an ``ImportError`` with code `invalidMapping`. Use positions only for feeds that keep
  /// their order.
  public func orPosition() -> Self {
    var copy = self
    copy.definition.positionKey = { .text(String($0)) }
    return copy
  }
}

extension Field where Root.ID == Int {
  /// Gives a record without a key its position in the feed, from 0, as the key.
  ///
  /// The field must be the key of the feed's own records, not of nested entities. The feed must
  /// have one source or page, so that no two records have one position. Otherwise the import fails
  /// with an ``ImportError`` with code `invalidMapping`. Use positions only for feeds that keep
  /// their order.
  public func orPosition() -> Self {
    var copy = self
    copy.definition.positionKey = { .integer(Int64($0)) }
    return copy
  }
}

/// A part of a ``JSONMapping``.
public struct _MappingPart<Root: Entity>: Sendable {
  let part: MappingDefinition.Part
}

/// Collects the parts of a ``JSONMapping``.
///
/// ```swift
/// let mapping = JSONMapping<Song> {
///   Field(\.id, "id")
///   Field(\.title, "title")
/// }
/// ```
@resultBuilder public enum JSONMappingBuilder<Root: Entity> {
  /// Adds the field of an attribute.
  public static func buildExpression(_ field: Field<Root>) -> [_MappingPart<Root>] {
    [_MappingPart(part: .field(field.definition))]
  }
  /// Adds a nested object.
  public static func buildExpression(_ object: NestedObject<Root>) -> [_MappingPart<Root>] {
    [_MappingPart(part: object.part)]
  }
  /// Adds a nested array of objects.
  public static func buildExpression(_ array: NestedArray<Root>) -> [_MappingPart<Root>] {
    [_MappingPart(part: array.part)]
  }
  /// Returns the parts in the order in which they are listed.
  public static func buildBlock(_ parts: [_MappingPart<Root>]...) -> [_MappingPart<Root>] {
    parts.flatMap { $0 }
  }
}

/// The rules by which an import makes an entity from JSON records.
///
/// A mapping has a field for each attribute that the feed has.
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
/// The key's field is always required. A missing member leaves its attribute alone, or at its
/// default in a new record. Null counts as missing for an attribute that is not optional.
/// Attributes without a field belong to the app: an import never changes them. If a default differs
/// for every new entity, as `UUID()` does, it differs in every new row.
public struct JSONMapping<Root: Entity>: Sendable {
  let definition: MappingDefinition

  /// Creates a mapping of the given parts.
  public init(
    _ root: Root.Type = Root.self, @JSONMappingBuilder<Root> _ parts: () -> [_MappingPart<Root>]
  ) {
    definition = MappingDefinition(entity: Root.self, parts: parts().map(\.part))
  }

  private init(_ definition: MappingDefinition) { self.definition = definition }

  /// The mapping that an entity's schema suggests.
  ///
  /// The mapping looks for each attribute under its column's name, as it is, in snake_case and in
  /// camelCase: `artistID`, `artist_id`, `artistId`. It imports the target of a reference called
  /// `artistID` from an object called `artist`. It imports entities with exactly one reference to
  /// this entity from an array with the name of their table, such as `songs`. Nested entities
  /// follow their own schemas; an entity is never nested inside itself. ``Conversion/automatic``
  /// converts the values.
  public static var automatic: Self {
    Self(MappingDefinition(entity: Root.self, parts: nil))
  }

  /// Returns the mapping with one value for an attribute in all records.
  ///
  /// The feed need not have the attribute, for example the album whose songs it lists.
  ///
  /// ```swift
  /// let mapping = Song.json.setting(\.albumID, to: 5)
  /// try await stack.importJSON(
  ///   Song.self, from: .file(url), mapping: mapping,
  ///   absent: .delete(within: Song.where { $0.albumID == 5 }))
  /// ```
  ///
  /// Such a feed has the songs of one album only. With ``AbsentRows/delete`` it would delete the songs
  /// of every other album.
  ///
  /// The value replaces any value that a record has for the attribute. If the attribute is the key,
  /// the import fails with an ``ImportError`` with code `invalidMapping`.
  public func setting<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, to value: Value
  ) -> Self {
    var copy = definition
    copy.constants.append(
      ConstantDefinition(
        attribute: .path(path), cell: { () throws(ValueError) -> Cell in try value.cell }))
    return Self(copy)
  }

  /// Returns the mapping that finds a row which was made here by a unique attribute.
  ///
  /// It is for a server that gives keys of its own and keeps an attribute that the app has made, such as
  /// a UUID. If a row with another key has a record's value of the attribute, it is the record's row. It
  /// gets the record's key, with everything that names the row, as with `PushRequest.done(as:id:)`.
  ///
  /// ```swift
  /// static let json = JSONMapping<Note> {
  ///   Field(\.id, "id")
  ///   Field(\.localID, "client_id")
  ///   Field(\.title, "title")
  /// }.matching(\.localID)
  /// ```
  ///
  /// If the attribute is not unique by itself in the schema, the import fails with an ``ImportError`` with
  /// code `invalidMapping`. An import into a child context matches no rows.
  public func matching<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable
  ) -> Self {
    var copy = definition
    copy.match = .path(path)
    return Self(copy)
  }
}
