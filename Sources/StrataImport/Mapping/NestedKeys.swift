public import Strata

/// An array inside of each record with the keys of what the record's entity is linked with.
///
/// ```swift
/// NestedKeys(Song.playlists, "playlist_ids")
/// NestedKeys(Song.tags, "relationships.tags.data", at: "id")
/// ```
///
/// When everything was read, the entity is linked with those and no others: links that the array
/// does not have go, and so do references by which others refer here, unless they cannot do without
/// one. A record without the array leaves the links alone; null is an array without elements. Keys
/// of what is not there link nothing. The order of the array is that of the links, if they have
/// one. Links are no records and not counted. Not for a child of the view context.
public struct NestedKeys<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// The keys in the array at `key`.
  ///
  /// - Parameters:
  ///   - relationship: what the keys are linked in.
  ///   - key: the array's key in a record.
  ///   - member: where the key is in an element that is an object; nil if the elements are keys.
  ///   - allowingNumberInString: whether `"5"` is the key 5.
  public init<Target: Entity>(
    _ relationship: ManyToMany<Root, Target>, _ key: String, at member: String? = nil,
    allowingNumberInString: Bool = false
  ) {
    part = Self.part(Target.ID.self, key, member, allowingNumberInString) {
      $0.importLinks(relationship)
    }
  }

  /// The keys in the array at `key`, of what refers to the record's entity.
  ///
  /// - Parameters:
  ///   - relationship: what the keys are linked in.
  ///   - key: the array's key in a record.
  ///   - member: where the key is in an element that is an object; nil if the elements are keys.
  ///   - allowingNumberInString: whether `"5"` is the key 5.
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
  /// Adds an array of keys inside of the record.
  public static func buildExpression(_ keys: NestedKeys<Root>) -> [MappingPart<Root>] {
    [MappingPart(part: keys.part)]
  }
}
