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

  /// Creates a document with the given records.
  public init(@JSONDocumentBuilder _ parts: () -> [JSONRecords]) { self.parts = parts() }

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
  private(set) var condition: (key: String, value: String)?

  private init(_ path: String, _ content: Content) {
    self.path = path
    self.content = content
  }

  /// Reads the records at a path of keys, separated by dots; an empty path is the document itself.
  public init<Root: Entity>(
    _ type: Root.Type = Root.self, at path: String, _ mapping: JSONMapping<Root> = .automatic
  ) {
    self.init(path, .records(mapping.definition))
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
  ///   - allowingNumberInString: whether `"5"` is the key 5.
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

  /// The part's content as text.
  var text: String {
    let what =
      switch content {
      case .records(let mapping): mapping.text
      case .ignored: "ignored"
      case .keys(let keys): "keys of \(keys.entity)"
      case .member: "member"
      }
    return "\(path) \(condition.map { "\($0.key)=\($0.value) " } ?? "")\(what)"
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
