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
    case membersAt([String])
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
  /// A key that contains a dot stands in brackets and quotes: `"data['v1.0'].items"`.
  public static func array(at path: String) -> JSONFormat { array(at: keys(path)) }

  /// A document that is an object whose members are records.
  ///
  /// The name of a member is the key of its record, unless the mapping reads the key from the record.
  /// A mapping that is declared reads the name with ``Field/init(memberName:_:)`` or
  /// ``Field/orMemberName()``.
  ///
  /// ```swift
  /// // {"10009": {"name": "Kiel"}, "10011": {"name": "Husum"}}
  /// try await stack.importJSON(Stop.self, from: file, as: .members)
  /// ```
  public static let members = JSONFormat(layout: .membersAt([]))

  /// A document with an object at a path of keys, whose members are records as in ``members``.
  ///
  /// The import validates the rest of the document and skips it. A document without such an object is
  /// an error.
  public static func members(at keys: [String]) -> JSONFormat {
    JSONFormat(layout: .membersAt(keys))
  }

  /// A document with an object at keys that are separated by dots, whose members are records as in
  /// ``members``.
  public static func members(at path: String) -> JSONFormat { members(at: keys(path)) }

  /// Whether records are the members of an object.
  var hasMembers: Bool { if case .membersAt = layout { true } else { false } }

  private static func keys(_ path: String) -> [String] {
    JSONPath.keys(path) ?? path.split(separator: ".").map(String.init)
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
