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
/// validated and skipped. The paths may come in any order, and records may refer to others that
/// come later.
public struct JSONDocument: Sendable {
  private(set) var parts: [JSONRecords]

  /// A document with the given records.
  public init(@JSONDocumentBuilder _ parts: () -> [JSONRecords]) { self.parts = parts() }

  /// The same document, of which some members are kept, too.
  func keeping(_ members: [String]) -> Self {
    var copy = self
    for path in members where !parts.contains(where: { $0.path == path }) {
      copy.parts.append(.member(path))
    }
    return copy
  }
}

/// The records of one entity in a ``JSONDocument``, or something else that is read there.
public struct JSONRecords: Sendable {
  enum Content: Sendable {
    case records(MappingDefinition)
    /// Records that are known and not imported.
    case ignored
    /// The keys of rows that are gone.
    case keys(DeletedKeys)
    /// What is kept as it stands.
    case member
  }

  let path: String
  let content: Content
  private(set) var condition: (key: String, value: String)?

  private init(_ path: String, _ content: Content) {
    self.path = path
    self.content = content
  }

  /// The records at a path of keys, separated by dots; empty for the document itself.
  public init<Root: Entity>(
    _ type: Root.Type = Root.self, at path: String, _ mapping: JSONMapping<Root> = .automatic
  ) {
    self.init(path, .records(mapping.definition))
  }

  /// Takes only those records whose member at `key` is `value`, for arrays of several entities.
  ///
  /// Other parts can take others by other values of the same key. A record that no part takes is
  /// validated and left out; then no row is absent of the entities that the array may have, unless
  /// ``ignored(at:when:is:)`` knows of it.
  public func when(_ key: String, is value: String) -> Self {
    var copy = self
    copy.condition = (key, value)
    return copy
  }

  /// Records that are left out, of an array of several entities, without that anything of the feed
  /// is missing.
  public static func ignored(at path: String, when key: String, is value: String) -> Self {
    Self(path, .ignored).when(key, is: value)
  }

  /// An array of keys of rows that are gone: they are deleted, by the delete rules.
  ///
  /// - Parameters:
  ///   - type: what they were.
  ///   - path: keys from the document to the array, separated by dots.
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

  /// A value that is no record and not imported: ``ImportResult/members`` has it.
  public static func member(_ path: String) -> Self { Self(path, .member) }

  /// What the part reads, in words.
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
@resultBuilder public enum JSONDocumentBuilder {
  /// Adds a part.
  public static func buildExpression(_ records: JSONRecords) -> [JSONRecords] { [records] }
  /// Adds parts that belong together, such as ``JSONRecords/resources(_:_:)``.
  public static func buildExpression(_ records: [JSONRecords]) -> [JSONRecords] { records }
  /// The parts in the order in which they are listed.
  public static func buildBlock(_ parts: [JSONRecords]...) -> [JSONRecords] { parts.flatMap { $0 } }
}
