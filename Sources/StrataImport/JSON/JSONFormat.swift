/// The location of the records in a document.
///
/// ```swift
/// try await stack.importJSON(Song.self, from: file, as: .array(at: "songs"), mapping: Song.json)
/// try await stack.importJSON(Song.self, from: file, as: .lines, mapping: Song.json)
/// ```
public struct JSONFormat: Sendable, Hashable {
  enum Layout: Sendable, Hashable {
    case array
    case arrayAt([String])
    case lines
  }

  let layout: Layout

  /// A document that is an array of records.
  ///
  /// Null has no records, and deletes no absent rows. Another document is an ``ImportError`` with code
  /// `missingArray`.
  public static let array = JSONFormat(layout: .array)

  /// A document that is an object, with an array of records at a path of keys.
  ///
  /// The import validates the rest of the document and skips it. If a key on the path occurs more
  /// than once, each of its arrays is read. Null at the path, or on the way to it, has no records, and
  /// deletes no absent rows. A missing path, or another value there, is an ``ImportError`` with code
  /// `missingArray`.
  public static func array(at keys: [String]) -> JSONFormat {
    JSONFormat(layout: .arrayAt(keys))
  }

  /// A document that is an object, with an array of records at keys that are separated by dots.
  ///
  /// If a key contains a dot, use the list of keys instead.
  public static func array(at path: String) -> JSONFormat {
    array(at: path.split(separator: ".").map(String.init))
  }

  /// A GeoJSON feature collection.
  public static let featureCollection = array(at: ["features"])

  /// JSON lines (NDJSON), with a record on each line.
  ///
  /// Blank lines are allowed, and a record may contain line breaks. A line that is not JSON loses
  /// no other record: reading can go on after the line on which the broken record began. If the
  /// next lines complete the record, they belong to it.
  public static let lines = JSONFormat(layout: .lines)
}
