public import Strata

// Documents of JSON:API (https://jsonapi.org). A mapping names members as they are there: `"id"`,
// `"attributes.title"`, `"relationships.artist.data.id"`. Numbers that are keys are text in
// JSON:API: ``Field/allowingNumberInString()``.

extension JSONRecords {
  /// The resources of a type, among the primary data and what is included.
  ///
  /// Rows can be absent only if a document has both. ``primary(_:_:)`` and ``included(_:_:)`` say
  /// of which it is enough.
  public static func resources<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> [JSONRecords] {
    [primary(type, mapping), included(type, mapping)]
  }

  /// The resources of a type among the primary data.
  public static func primary<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> JSONRecords {
    JSONRecords(at: "data", mapping).when("type", is: type)
  }

  /// The resources of a type among what is included.
  public static func included<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> JSONRecords {
    JSONRecords(at: "included", mapping).when("type", is: type)
  }

  /// A type of which resources are included and not imported.
  public static func ignoredInclusion(_ type: String) -> JSONRecords {
    .ignored(at: "included", when: "type", is: type)
  }
}
