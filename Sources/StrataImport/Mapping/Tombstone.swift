public import Strata

/// A member that marks a record as a deletion of the row with its key.
///
/// The delete rules run for the deletion. The import validates the rest of the record but does not
/// use it.
///
/// ```swift
/// static let json = JSONMapping<Song> {
///   Field(\.id, "id")
///   Field(\.title, "title").required()
///   Tombstone(ifTrue: "deleted")
/// }
/// ```
///
/// Such a record needs no required field but its key. If the store does not have the row, nothing
/// changes. A row that waits to be pushed stays. An unsaved edit of the view context does not keep
/// its row, and saving the edit is then a conflict. If a delete rule denies the deletion, the
/// import tries it again when everything was read.
public struct Tombstone<Root: Entity>: Sendable {
  let part: MappingDefinition.Part

  /// Marks records whose member at `key` is `true` or 1, also as a string.
  ///
  /// `false`, 0, null and a missing member do not mark a record. Any other value refuses it.
  public init(ifTrue key: String) { part = .tombstone(key: key, .isTrue) }

  /// Marks records whose member at `key` exists and is not null, such as `"deleted_at"`.
  public init(ifThere key: String) { part = .tombstone(key: key, .isThere) }

  /// Marks records whose member at `key` is `text`: `Tombstone(if: "status", is: "deleted")`.
  ///
  /// A number or a Boolean counts as its JSON text: 2 is `"2"`.
  public init(if key: String, is text: String) { part = .tombstone(key: key, .isText(text)) }
}

extension JSONMappingBuilder {
  /// Adds the sign of a deletion.
  public static func buildExpression(_ tombstone: Tombstone<Root>) -> [_MappingPart<Root>] {
    [_MappingPart(part: tombstone.part)]
  }
}
