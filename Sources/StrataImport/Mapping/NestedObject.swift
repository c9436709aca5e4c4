public import Strata

/// An object inside of each record that is an entity of its own, and the reference to it.
///
/// The entity is imported with the record, in the same commit. A record without the object leaves
/// the reference alone; null makes it nil.
public struct NestedObject<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// The object at `key` is the target of the reference at `path`.
  public init<Target: Entity>(
    _ path: any WritableKeyPath<Root, Target.ID> & Sendable, _ key: String,
    _ mapping: JSONMapping<Target>
  ) {
    part = .object(.path(path), keys: [key], mapping.definition)
  }

  /// The object at `key` is the target of the optional reference at `path`.
  public init<Target: Entity>(
    _ path: any WritableKeyPath<Root, Target.ID?> & Sendable, _ key: String,
    _ mapping: JSONMapping<Target>
  ) {
    part = .object(.path(path), keys: [key], mapping.definition)
  }
}
