public import Strata

/// An array inside of each record whose objects are entities of their own.
///
/// ```swift
/// static let json = JSONMapping<Album> {
///   Field(\.id, "id")
///   NestedArray("songs", Song.json, \.albumID)
///   NestedArray(Album.tracks, "tracks", Track.json, deletingOthers: true)
/// }
/// ```
///
/// The entities are imported with the record, in the same commit. An array that is declared by the
/// reference of its elements adds and updates: what the store has besides them stays. An array that
/// is declared by a relationship replaces what the record is linked with, as ``NestedKeys`` does:
/// when everything was read, links that the array does not have go. An empty array and null are no
/// links; a record without the array leaves them alone.
public struct NestedArray<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// The objects of the array at `key` refer to the record by the attribute at `inverse`.
  public init<Target: Entity>(
    _ key: String, _ mapping: JSONMapping<Target>,
    _ inverse: any WritableKeyPath<Target, Root.ID> & Sendable
  ) {
    part = .array(keys: [key], mapping.definition, .reference(.path(inverse)))
  }

  /// The objects of the array at `key` refer to the record by the optional attribute at `inverse`.
  public init<Target: Entity>(
    _ key: String, _ mapping: JSONMapping<Target>,
    _ inverse: any WritableKeyPath<Target, Root.ID?> & Sendable
  ) {
    part = .array(keys: [key], mapping.definition, .reference(.path(inverse)))
  }

  /// The record is linked with the objects of the array at `key`, and with no others.
  ///
  /// Not for a child of the view context.
  public init<Target: Entity>(
    _ relationship: ManyToMany<Root, Target>, _ key: String, _ mapping: JSONMapping<Target>
  ) {
    part = .array(
      keys: [key], mapping.definition,
      .relationship(deletesOthers: false) { $0.importLinks(relationship) })
  }

  /// The objects of the array at `key`, and no others, refer to the record.
  ///
  /// What refers to the record and is not in the array refers to nothing afterwards, or is deleted
  /// by the delete rules. A row that waits to be pushed stays as it is, and so does one that a rule
  /// of another one holds. Not for a child of the view context.
  ///
  /// - Parameters:
  ///   - relationship: from the record to the objects.
  ///   - key: the array's key in a record.
  ///   - mapping: what the objects become.
  ///   - deletingOthers: whether what is not in the array is deleted. Without it, a relationship
  ///     over a required reference fails an import with code `invalidMapping`.
  public init<Target: Entity>(
    _ relationship: ToMany<Root, Target>, _ key: String, _ mapping: JSONMapping<Target>,
    deletingOthers: Bool = false
  ) {
    part = .array(
      keys: [key], mapping.definition,
      .relationship(deletesOthers: deletingOthers) {
        $0.importLinks(relationship, deletesOthers: deletingOthers)
      })
  }
}
