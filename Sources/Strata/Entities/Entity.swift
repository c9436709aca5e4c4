/// A type of thing that the store keeps: a struct with a key and stored attributes.
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
/// Conform in the declaration, not in an extension: the conformance then is nonisolated even in a
/// module whose default isolation is the main actor. The key is chosen by the client, final, and
/// never used again for a different thing.
public protocol Entity: Sendable, Identifiable where ID: AttributeValue {
  /// A new entity with default values; every stored property needs one, also a key that has yet to
  /// be set, such as `var artistID = Artist.ID()`.
  init()

  /// The entity's table, key and attributes.
  static var schema: Schema<Self> { get }
}

/// A plain struct that is stored attribute by attribute inside its entity.
public protocol Embedded: Sendable {}

/// A key path to a stored `var` of an entity.
public typealias AttributePath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable
