public import Strata

/// A document with the records of several entities, in arrays at different paths.
///
/// ```swift
/// let catalogue = JSONDocument {
///   JSONRecords(Artist.self, at: "data.artists", Artist.json)
///   JSONRecords(Song.self, at: "data.songs")
/// }
/// try await stack.importJSON(catalogue, from: .file(url))
/// ```
///
/// The value at a path is an array of records, a single record, or null. A missing path has no
/// records. A document without any of the paths, or with another value there, is an ``ImportError``
/// with code `missingArray`. The import validates the rest of the
/// document and skips it. The paths may come in any order. A record may refer to a record that
/// comes later.
public struct JSONDocument: Sendable {
  private(set) var parts: [JSONRecords]
  /// Whether each line is a document of its own.
  private(set) var isLines = false

  /// Creates a document with the given records.
  public init(@JSONDocumentBuilder _ parts: () -> [JSONRecords]) { self.parts = parts() }

  /// JSON lines (NDJSON) with the records of several entities, which a member tells apart.
  ///
  /// Each line is a record, so the path of every part is empty. A byte RS before a record, as in JSON
  /// text sequences (RFC 7464), is skipped.
  ///
  /// ```swift
  /// let events = JSONDocument.lines {
  ///   JSONRecords(at: "", Song.json).when("type", is: "song")
  ///   JSONRecords(at: "", Artist.json).when("type", is: "artist")
  /// }
  /// ```
  public static func lines(@JSONDocumentBuilder _ parts: () -> [JSONRecords]) -> Self {
    var copy = Self(parts)
    copy.isLines = true
    return copy
  }

  /// Returns the document with further members that are kept.
  func keeping(_ members: [String]) -> Self {
    var copy = self
    for path in members where !parts.contains(where: { $0.path == path }) {
      copy.parts.append(.member(path))
    }
    return copy
  }
}

/// The records of one entity in a ``JSONDocument``, or another value that is read there.
///
/// ```swift
/// let document = JSONDocument {
///   JSONRecords(at: "artists", Artist.json)
///   JSONRecords(at: "songs", Song.json)
/// }
/// try await stack.importJSON(document, from: file)
/// ```
public struct JSONRecords: Sendable {
  enum Content: Sendable {
    case records(MappingDefinition)
    /// Records that are known and not imported.
    case ignored
    /// The keys of rows that are deleted.
    case keys(DeletedKeys)
    /// A value that is kept as it stands.
    case member
  }

  let path: String
  let content: Content
  /// Whether the records are the members of an object at the path.
  let areMembers: Bool
  private(set) var condition: (key: String, value: String)?

  private init(_ path: String, _ content: Content, areMembers: Bool = false) {
    self.path = path
    self.content = content
    self.areMembers = areMembers
  }

  /// Reads the records at a path of keys, separated by dots; an empty path is the document itself.
  ///
  /// A key with a dot stands in brackets and quotes: `"data['v1.0']"`.
  public init<Root: Entity>(
    _ type: Root.Type = Root.self, at path: String, _ mapping: JSONMapping<Root> = .automatic
  ) {
    self.init(path, .records(mapping.definition))
  }

  /// Reads the records that are the members of the object at a path, as ``JSONFormat/members`` does.
  ///
  /// - Parameters:
  ///   - type: the entity of the records.
  ///   - path: the keys from the document to the object, separated by dots; an empty path is the
  ///     document itself.
  ///   - mapping: the mapping of the records. ``Field/init(memberName:_:)`` reads a member's name.
  public init<Root: Entity>(
    _ type: Root.Type = Root.self, membersOf path: String,
    _ mapping: JSONMapping<Root> = .automatic
  ) {
    self.init(path, .records(mapping.definition), areMembers: true)
  }

  /// Selects the records whose member at `key` is `value`, for arrays of several entities.
  ///
  /// Further parts can select records by other values of the same key. A record that no part
  /// selects is validated and left out. Then the import deletes no absent rows of the array's
  /// entities, unless a part ``ignored(at:when:is:)`` has the record's value.
  public func when(_ key: String, is value: String) -> Self {
    var copy = self
    copy.condition = (key, value)
    return copy
  }

  /// Leaves out records of an array of several entities; the feed still counts as whole.
  public static func ignored(at path: String, when key: String, is value: String) -> Self {
    Self(path, .ignored).when(key, is: value)
  }

  /// Deletes the rows whose keys are in an array, by the delete rules.
  ///
  /// - Parameters:
  ///   - type: the entity of the rows.
  ///   - path: the keys from the document to the array, separated by dots.
  ///   - allowingNumberInString: whether `"5"` is the key 5, and 5 the key `"5"`.
  public static func deleted<Root: Entity>(
    _ type: Root.Type, at path: String, allowingNumberInString: Bool = false
  ) -> Self {
    let conversion = Conversion<Root.ID>.automatic
    return Self(
      path,
      .keys(
        DeletedKeys(
          entity: type, kind: conversion.kind, convert: conversion.convert,
          allowsNumberInString: allowingNumberInString)))
  }

  /// Keeps a value that is not a record in ``ImportResult/members``.
  public static func member(_ path: String) -> Self { Self(path, .member) }

  var isIgnored: Bool { if case .ignored = content { true } else { false } }

  /// The part's content as text.
  var text: String {
    let what =
      switch content {
      case .records(let mapping): mapping.text
      case .ignored: "ignored"
      case .keys(let keys): "keys of \(keys.entity)"
      case .member: "member"
      }
    let place = areMembers ? "\(path) members" : path
    return "\(place) \(condition.map { "\($0.key)=\($0.value) " } ?? "")\(what)"
  }
}

/// Collects the parts of a ``JSONDocument``.
///
/// ```swift
/// let catalogue = JSONDocument {
///   JSONRecords(Artist.self, at: "artists", Artist.json)
///   JSONRecords(Song.self, at: "songs")
/// }
/// ```
@resultBuilder public enum JSONDocumentBuilder {
  /// Adds a part.
  public static func buildExpression(_ records: JSONRecords) -> [JSONRecords] { [records] }
  /// Adds several parts, such as ``JSONRecords/resources(_:_:)``.
  public static func buildExpression(_ records: [JSONRecords]) -> [JSONRecords] { records }
  /// Returns the parts in the order in which they are listed.
  public static func buildBlock(_ parts: [JSONRecords]...) -> [JSONRecords] { parts.flatMap { $0 } }
}
