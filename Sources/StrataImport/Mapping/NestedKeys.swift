public import Strata

/// A nested array with the keys of the entities that a record is linked with.
///
/// ```swift
/// NestedKeys(Song.playlists, "playlist_ids")
/// NestedKeys(Song.tags, "relationships.tags.data", at: "id")
/// ```
///
/// When everything was read, the record's entity is linked with exactly these entities: the import
/// removes links that the array does not have. Other entities that refer to the record lose their
/// reference, unless the reference is required. A record without the array keeps its links; null
/// counts as an empty array. Links that have an order get the order of the array. An import into a
/// child of the view context fails with code `invalidMapping`.
///
/// A link to a row that the store does not have waits in the store. The commit that inserts the row
/// makes the link, whoever inserts the row. A row that comes with another reference keeps it. The
/// link waits no more if the record's entity is deleted, if an import gives the entity other links,
/// or after a migration. Up to 100,000 links wait. A reference does not wait if it is required, if
/// it is part of a unique value, or if its entity has a rule for the whole entity.
/// ``ImportResult/waitingLinks`` counts the links without a row. ``ImportResult`` does not count other
/// links, because links are not records.
public struct NestedKeys<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// Links the record over a many-to-many relationship by the keys in the array at `key`.
  ///
  /// - Parameters:
  ///   - relationship: the relationship from the record to the keys' entities.
  ///   - key: the array's key in a record.
  ///   - member: the path of the key in an element that is an object; nil if the elements are keys.
  ///   - allowingNumberInString: whether `"5"` is the key 5, and 5 the key `"5"`.
  public init<Target: Entity>(
    _ relationship: ManyToMany<Root, Target>, _ key: String, at member: String? = nil,
    allowingNumberInString: Bool = false
  ) {
    part = Self.part(Target.ID.self, key, member, allowingNumberInString) {
      $0.importLinks(relationship)
    }
  }

  /// Makes the entities whose keys are in the array at `key` refer to the record.
  ///
  /// - Parameters:
  ///   - relationship: the relationship from the record to the keys' entities.
  ///   - key: the array's key in a record.
  ///   - member: the path of the key in an element that is an object; nil if the elements are keys.
  ///   - allowingNumberInString: whether `"5"` is the key 5, and 5 the key `"5"`.
  public init<Target: Entity>(
    _ relationship: ToMany<Root, Target>, _ key: String, at member: String? = nil,
    allowingNumberInString: Bool = false
  ) {
    part = Self.part(Target.ID.self, key, member, allowingNumberInString) {
      $0.importLinks(relationship)
    }
  }

  private static func part<ID: AttributeValue>(
    _: ID.Type, _ key: String, _ member: String?, _ allowsNumberInString: Bool,
    _ links: @escaping @Sendable (Model) -> ImportLinks?
  ) -> MappingDefinition.Part {
    let conversion = Conversion<ID>.automatic
    return .links(
      LinksDefinition(
        key: key, member: member, kind: conversion.kind, convert: conversion.convert,
        allowsNumberInString: allowsNumberInString, links: links))
  }
}

extension JSONMappingBuilder {
  /// Adds a nested array of keys.
  public static func buildExpression(_ keys: NestedKeys<Root>) -> [_MappingPart<Root>] {
    [_MappingPart(part: keys.part)]
  }
}
