public import Strata

/// An array of nested objects that are entities of their own.
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
/// reference of its elements adds and updates entities; other entities in the store stay. An array
/// that is declared by a relationship replaces the record's links, as ``NestedKeys`` does: when
/// everything was read, the import removes links that the array does not have. An empty array and
/// null remove all links. A record without the array keeps its links.
///
/// If the mapping of the elements reads their names (``Field/init(memberName:_:)``), the array is an
/// object, and its members are the elements. If it reads ``Field/init(value:_:)``, the elements are
/// plain values.
public struct NestedArray<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// Maps the array at `key` to entities that refer to the record by the attribute at `inverse`.
  public init<Target: Entity>(
    _ key: String, _ mapping: JSONMapping<Target>,
    _ inverse: any WritableKeyPath<Target, Root.ID> & Sendable
  ) {
    part = .array(keys: [key], mapping.definition, .reference(.path(inverse)))
  }

  /// Maps the array at `key` to entities that refer to the record by the optional attribute at
  /// `inverse`.
  public init<Target: Entity>(
    _ key: String, _ mapping: JSONMapping<Target>,
    _ inverse: any WritableKeyPath<Target, Root.ID?> & Sendable
  ) {
    part = .array(keys: [key], mapping.definition, .reference(.path(inverse)))
  }

  /// Links the record with exactly the entities of the array at `key`.
  ///
  /// An import into a child of the view context fails with code `invalidMapping`.
  public init<Target: Entity>(
    _ relationship: ManyToMany<Root, Target>, _ key: String, _ mapping: JSONMapping<Target>
  ) {
    part = .array(
      keys: [key], mapping.definition,
      .relationship(deletesOthers: false) { $0.importLinks(relationship) })
  }

  /// Makes exactly the entities of the array at `key` refer to the record.
  ///
  /// Other entities that refer to the record lose their reference, or are deleted by the delete
  /// rules. A row that waits to be pushed stays as it is. A row also stays if a delete rule denies
  /// its deletion. An unsaved edit of the view context does not keep its row. If the row is
  /// deleted, saving the edit is a conflict. An import into a child of the view context fails with
  /// code `invalidMapping`.
  ///
  /// - Parameters:
  ///   - relationship: the relationship from the record to the entities.
  ///   - key: the array's key in a record.
  ///   - mapping: the mapping of the objects.
  ///   - deletingOthers: whether entities that refer to the record and are not in the array are
  ///     deleted. Without it, a relationship over a required reference fails an import with code
  ///     `invalidMapping`.
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
