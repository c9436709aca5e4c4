/// Where the records are in a document.
public struct JSONFormat: Sendable, Hashable {
  enum Layout: Sendable, Hashable {
    case array
    case arrayAt([String])
    case lines
  }

  let layout: Layout

  /// A document that is an array of records.
  public static let array = JSONFormat(layout: .array)

  /// A document that is an object, with an array of records at a path of keys.
  ///
  /// Everything else is validated and skipped. If a key on the path occurs more than once, each of
  /// its arrays is read; if there is none at all, that is an error.
  public static func array(at keys: [String]) -> JSONFormat {
    JSONFormat(layout: .arrayAt(keys))
  }

  /// A document that is an object, with an array of records at keys that are separated by dots.
  ///
  /// A list of keys may have dots in them, too.
  public static func array(at path: String) -> JSONFormat {
    array(at: path.split(separator: ".").map(String.init))
  }

  /// A GeoJSON feature collection.
  public static let featureCollection = array(at: ["features"])

  /// One record a line (NDJSON), blank lines allowed; a record may itself contain line breaks.
  ///
  /// A line that is not JSON costs no other one: reading can go on after the line on which the
  /// broken record began, unless the lines after it complete it.
  public static let lines = JSONFormat(layout: .lines)
}
