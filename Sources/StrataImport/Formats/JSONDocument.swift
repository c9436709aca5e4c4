public import Strata

/// Arrays of records in one document, each at a path of its own: several entities in one import.
///
/// ```swift
/// let catalogue = JSONDocument {
///   JSONRecords(Artist.self, at: "data.artists", Artist.json)
///   JSONRecords(Song.self, at: "data.songs")
/// }
/// try await stack.importJSON(catalogue, from: .file(url))
/// ```
///
/// At a path there may be an array of records, one record, or null; a path that is not there has no
/// records, but if none of them is there that is an error. What is elsewhere in the document is
/// validated and skipped. The paths may come in any order, and records may refer to others that come
/// later.
public struct JSONDocument: Sendable {
  let parts: [JSONRecords]

  /// A document with the given records.
  public init(@JSONDocumentBuilder _ parts: () -> [JSONRecords]) { self.parts = parts() }
}

/// The records of one entity in a ``JSONDocument``.
public struct JSONRecords: Sendable {
  let path: String
  let mapping: MappingDefinition
  private(set) var condition: (key: String, value: String)?

  /// The records at a path of keys, separated by dots; empty for the document itself.
  public init<Root: Entity>(
    _ type: Root.Type = Root.self, at path: String, _ mapping: JSONMapping<Root> = .automatic
  ) {
    self.path = path
    self.mapping = mapping.definition
  }

  /// Takes only those records whose member at `key` is `value`, for arrays of several entities.
  ///
  /// Other parts can take others by other values of the same key. A record that no part takes is
  /// validated and left out.
  public func when(_ key: String, is value: String) -> Self {
    var copy = self
    copy.condition = (key, value)
    return copy
  }

  /// The resources of a type in a JSON:API document, among its primary data and what is included.
  ///
  /// The mapping names members as they are there: `"id"`, `"attributes.title"`,
  /// `"relationships.artist.data.id"`. Numbers that are keys are text in JSON:API:
  /// ``Field/allowingNumberInString()``.
  public static func resources<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> [JSONRecords] {
    ["data", "included"].map { JSONRecords(at: $0, mapping).when("type", is: type) }
  }
}

/// Collects the parts of a ``JSONDocument``.
@resultBuilder public enum JSONDocumentBuilder {
  public static func buildExpression(_ records: JSONRecords) -> [JSONRecords] { [records] }
  public static func buildExpression(_ records: [JSONRecords]) -> [JSONRecords] { records }
  public static func buildBlock(_ parts: [JSONRecords]...) -> [JSONRecords] { parts.flatMap { $0 } }
}
