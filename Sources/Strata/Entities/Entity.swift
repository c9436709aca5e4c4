/// A struct that the store keeps, with a key and stored attributes.
///
/// ```swift
/// struct Song: Entity {
///   var id = UUID.timeOrdered()
///   var title = ""
///   var bpm: Double?
///   var artistID: Artist.ID?
///
///   static let artist = toOne(\.artistID, Artist.self, onDelete: .nullify)
///   static let schema = Schema<Song>("songs", key: \.id) {
///     Attribute(\.title).indexed()
///     Attribute(\.bpm)
///     artist
///   }
/// }
/// ```
///
/// Declare the conformance with the struct, not in an extension. The conformance is then
/// nonisolated, even in a module whose default isolation is the main actor. The client chooses an
/// entity's key. The key never changes and is never reused for a different entity.
public protocol Entity: Sendable, Identifiable where ID: AttributeValue {
  /// Creates a new entity with default values.
  ///
  /// Every stored property needs a default value. This includes a key that is set later, such as
  /// `var artistID = Artist.ID()`.
  init()

  /// The entity's table, key and attributes.
  static var schema: Schema<Self> { get }
}

/// A plain struct that is stored attribute by attribute inside its entity.
///
/// ```swift
/// struct Address: Embedded {
///   var street = ""
///   var city = ""
/// }
///
/// struct Person: Entity {
///   var id = Key<Person>()
///   var address = Address()
///
///   static let schema = Schema<Person>("people", key: \.id) {
///     Attribute(\.address.street)
///     Attribute(\.address.city).indexed()
///   }
/// }
///
/// Person.where { $0[\.address.city] == "Vienna" }
/// ```
public protocol Embedded: Sendable {}

/// A key path to a stored `var` of an entity.
public typealias AttributePath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

extension RecordKey {
  /// Returns the key as an entity's `ID`; nil if it is no key of such an entity.
  ///
  /// Errors, conflicts and push requests name rows of any entity by their `RecordKey`. A key of
  /// another entity may also be a valid `ID`: ask for the entity first.
  public func id<E: Entity>(of type: E.Type) -> E.ID? { try? E.ID(cell: cell) }
}
