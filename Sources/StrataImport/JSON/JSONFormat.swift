/// Where the records are in a document.
public enum JSONFormat: Sendable, Equatable {
  /// A document that is an array of records.
  case array
  /// A document that is an object, with an array of records at a path of keys.
  ///
  /// Everything else is validated and skipped. If a key on the path occurs more than once, each of
  /// its arrays is read; if there is none at all, that is an error.
  case arrayAt([String])
  /// One record a line (NDJSON), blank lines allowed; a record may itself contain line breaks.
  ///
  /// A line that is not JSON costs no other one: reading can go on after the line on which the broken
  /// record began, unless the lines after it complete it.
  case lines

  /// A document that is an object, with an array of records at keys that are separated by dots: see
  /// ``arrayAt(_:)``, for keys that have dots in them, too.
  public static func array(at path: String) -> Self {
    .arrayAt(path.split(separator: ".").map(String.init))
  }

  /// A GeoJSON feature collection.
  public static var featureCollection: Self { .arrayAt(["features"]) }
}
