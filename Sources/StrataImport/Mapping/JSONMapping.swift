public import Strata

/// Where an attribute's value is in each JSON record.
public struct Field<Root: Entity>: Sendable {
  let path: any AnyKeyPath & Sendable
  let key: String
  let kind: JSONColumn.Kind
  let convert: (@Sendable (Cell) throws(ValueError) -> Cell)?
  private(set) var isRequired = false
  private(set) var isOnlyWhenInserted = false
  /// Makes a key from a record's position, for records without one.
  private(set) var positionKey: (@Sendable (Int) -> Cell)?

  /// The attribute at `path` comes from the member at `key`.
  ///
  /// - Parameters:
  ///   - key: a member's name, or names separated by dots for nested objects, with an index in
  ///     brackets for an array's element: `"geometry.coordinates[0]"`.
  ///   - conversion: how the JSON value becomes the attribute's.
  public init<Value: AttributeValue>(
    _ path: any WritableKeyPath<Root, Value> & Sendable, _ key: String,
    _ conversion: Conversion<Value> = .automatic
  ) {
    self.path = path
    self.key = key
    kind = conversion.kind
    convert = conversion.convert
  }

  /// Refuses records in which the member is missing or null.
  public func required() -> Self {
    var copy = self
    copy.isRequired = true
    return copy
  }

  /// Takes the value for new records only; an update leaves the attribute alone.
  public func onlyWhenInserted() -> Self {
    var copy = self
    copy.isOnlyWhenInserted = true
    return copy
  }
}

extension Field where Root.ID == String {
  /// Lets a record without the key be known by its position in the feed, from 0.
  ///
  /// Only for the key's field, and only sensible for feeds that keep their order.
  public func orPosition() -> Self {
    var copy = self
    copy.positionKey = { .text(String($0)) }
    return copy
  }
}

extension Field where Root.ID == Int {
  /// Lets a record without the key be known by its position in the feed, from 0.
  ///
  /// Only for the key's field, and only sensible for feeds that keep their order.
  public func orPosition() -> Self {
    var copy = self
    copy.positionKey = { .integer(Int64($0)) }
    return copy
  }
}

/// Collects the fields of a ``JSONMapping``.
@resultBuilder public enum JSONMappingBuilder<Root: Entity> {
  public static func buildExpression(_ field: Field<Root>) -> [Field<Root>] { [field] }
  public static func buildBlock(_ parts: [Field<Root>]...) -> [Field<Root>] { parts.flatMap { $0 } }
}

/// How an entity is made from JSON records: one field for each attribute that the feed has.
///
/// ```swift
/// static let json = JSONMapping<Song> {
///   Field(\.id, "id")
///   Field(\.title, "title").required()
///   Field(\.bpm, "tempo.bpm")
///   Field(\.updatedAt, "updated_at", .iso8601)
/// }
/// ```
///
/// The key's field is always required. A member that is missing leaves its attribute alone, or at
/// its default in a new record; so does null for an attribute that is not optional. Attributes
/// without a field belong to the app: an import never changes them.
public struct JSONMapping<Root: Entity>: Sendable {
  let fields: [Field<Root>]

  /// A mapping of the given fields.
  public init(
    _ root: Root.Type = Root.self, @JSONMappingBuilder<Root> _ fields: () -> [Field<Root>]
  ) {
    self.fields = fields()
  }
}
