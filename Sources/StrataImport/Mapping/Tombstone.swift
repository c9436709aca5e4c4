public import Strata

/// A member by which a record says that it is gone: the row with its key is deleted, by the delete
/// rules, and nothing else of the record is read but for being checked.
///
/// ```swift
/// static let json = JSONMapping<Song> {
///   Field(\.id, "id")
///   Field(\.title, "title").required()
///   Tombstone(ifTrue: "deleted")
/// }
/// ```
///
/// What such a record lacks is not required but for its key. A row that is not there stays so; one
/// that waits to be pushed stays. A deletion that a rule forbids is tried again when everything was
/// read.
public struct Tombstone<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// A record is gone whose member at `key` is `true`.
  public init(ifTrue key: String) { part = .tombstone(key: key, .isTrue) }

  /// A record is gone in which the member at `key` is there and not null: `"deleted_at"`.
  public init(ifThere key: String) { part = .tombstone(key: key, .isThere) }

  /// A record is gone whose member at `key` is a text: `Tombstone(if: "status", is: "deleted")`.
  public init(if key: String, is text: String) { part = .tombstone(key: key, .isText(text)) }
}

extension JSONMappingBuilder {
  /// Adds what says that the record is gone.
  public static func buildExpression(_ tombstone: Tombstone<Root>) -> [MappingPart<Root>] {
    [MappingPart(part: tombstone.part)]
  }
}
