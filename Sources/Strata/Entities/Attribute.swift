/// A stored attribute of an entity.
///
/// The store returns each value as it was stored, with two exceptions for `Double`. `-0.0` becomes
/// `0.0`, because SQLite does not keep the sign of zero. Not-a-number is refused with
/// ``StoreError/Code/invalidValue``.
public struct Attribute<Root: Entity, Value: AttributeValue>: SchemaElement {
  var definition: AttributeDefinition

  public var _element: _ElementDefinition { _ElementDefinition(content: .attribute(definition)) }

  /// Creates the attribute at `path`, in a column with the property's name or with `name`.
  public init(
    _ path: AttributePath<Root, Value>, _ name: String? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    definition = AttributeDefinition(path, name: name, source: SourceLine(fileID, line))
  }

  /// Adds an index, so that filters and sorts by the attribute need not read the whole table.
  public func indexed() -> Self {
    var copy = self
    copy.definition.isIndexed = true
    return copy
  }

  /// Requires that no two entities have the same value.
  ///
  /// Null equals no other value, so any number of entities may have null.
  public func unique() -> Self {
    var copy = self
    copy.definition.isUnique = true
    return copy
  }
}

/// A combination of attributes whose values no two entities share.
///
/// ```swift
/// static let schema = Schema<Booking>("bookings", key: \.id) {
///   Attribute(\.room)
///   Attribute(\.begins)
///   Unique(\.room, \.begins)
/// }
/// ```
public struct Unique<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Creates the constraint that the attributes at `paths` are unique together.
  ///
  /// A combination with a null in it equals no other combination.
  public init<each Value: AttributeValue>(
    _ paths: repeat AttributePath<Root, each Value>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    var all: [SendablePath] = []
    repeat all.append(each paths)
    _element = _ElementDefinition(content: .unique(all, SourceLine(fileID, line)))
  }
}

/// An index of several attributes, in their order.
///
/// ```swift
/// static let schema = Schema<Song>("songs", key: \.id) {
///   Attribute(\.genre)
///   Attribute(\.released)
///   Index(\.genre, \.released)
/// }
/// ```
///
/// It serves queries that give the first attributes by equality and sort by the others: the songs of
/// a genre by their dates, in both directions. The key ends the index, as it ends every order, so a
/// page of such a query reads the rows of the page alone. An index of one attribute is
/// ``Attribute/indexed()``.
public struct Index<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Creates the index of the attributes at two or more `paths`.
  ///
  /// Opening the stack refuses an index of one attribute, and an index that names an attribute
  /// twice.
  public init<each Value: AttributeValue>(
    _ paths: repeat AttributePath<Root, each Value>, fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    var all: [SendablePath] = []
    repeat all.append(each paths)
    _element = _ElementDefinition(content: .index(all, SourceLine(fileID, line)))
  }
}

/// An attribute without its types.
struct AttributeDefinition: Sendable {
  let path: SendablePath
  let explicitName: String?
  let source: SourceLine
  let storage: StorageType
  let isOptional: Bool
  let coding: AttributeCoding
  let valueType: any Any.Type
  var isIndexed = false
  var isUnique = false
  var reference: ReferenceDefinition?
  var rules: [AttributeRule] = []
  var merge: AttributeMerge?
  /// The weight of a word in this attribute; nil if the full-text index leaves the attribute out.
  var fullTextWeight: Double?
  /// The name of the value's type, without `Optional`.
  let valueName: String
  var evolution = AttributeEvolution()

  /// The attribute's bytes in the entity; nil if its property is computed, observed or wrapped.
  let bytes: Range<Int>?

  init<Root, Value: AttributeValue>(
    _ path: AttributePath<Root, Value>, name: String?, source: SourceLine
  ) {
    self.path = path
    explicitName = name
    self.source = source
    storage = Value.storage
    isOptional = Value.isOptional
    coding = AttributeCoding(path)
    bytes = coding.offset.map { $0..<($0 + MemoryLayout<Value>.size) }
    valueType = Value.self
    valueName = Value.describedName
  }
}
