public import Strata

// Documents of JSON:API (https://jsonapi.org). A mapping names members by their paths in a
// resource: `"id"`, `"attributes.title"`, `"relationships.artist.data.id"`. JSON:API writes numeric
// keys as text, so their fields need ``Field/allowingNumberInString()``.

extension JSONRecords {
  /// Reads the resources of a type from the primary data and from the included resources.
  ///
  /// The import deletes absent rows only if the document has both arrays. Use ``primary(_:_:)`` or
  /// ``included(_:_:)`` if one array has all resources of the type.
  public static func resources<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> [JSONRecords] {
    [primary(type, mapping), included(type, mapping)]
  }

  /// Reads the resources of a type from the primary data.
  public static func primary<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> JSONRecords {
    JSONRecords(at: "data", mapping).when("type", is: type)
  }

  /// Reads the resources of a type from the included resources.
  public static func included<Root: Entity>(
    _ type: String, _ mapping: JSONMapping<Root>
  ) -> JSONRecords {
    JSONRecords(at: "included", mapping).when("type", is: type)
  }

  /// Leaves out included resources of a type.
  public static func ignoredInclusion(_ type: String) -> JSONRecords {
    .ignored(at: "included", when: "type", is: type)
  }
}
