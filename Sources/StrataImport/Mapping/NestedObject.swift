public import Strata

/// A nested object that is an entity of its own, and the reference to it.
///
/// The entity is imported with the record, in the same commit. A record without the object leaves
/// the reference alone. A null object makes the reference nil.
///
/// ```swift
/// JSONMapping<Song> {
///   Field(\.id, "id")
///   NestedObject(\.artistID, "artist", Artist.json)  // { "id": 1, "artist": { "id": 7, … } }
/// }
/// ```
public struct NestedObject<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// Maps the object at `key` to the target of the reference at `path`.
  public init<Target: Entity>(
    _ path: any WritableKeyPath<Root, Target.ID> & Sendable, _ key: String,
    _ mapping: JSONMapping<Target>
  ) {
    part = .object(.path(path), keys: [key], mapping.definition)
  }

  /// Maps the object at `key` to the target of the optional reference at `path`.
  public init<Target: Entity>(
    _ path: any WritableKeyPath<Root, Target.ID?> & Sendable, _ key: String,
    _ mapping: JSONMapping<Target>
  ) {
    part = .object(.path(path), keys: [key], mapping.definition)
  }
}
