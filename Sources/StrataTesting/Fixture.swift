public import Foundation
public import Strata
public import StrataImport

/// Records in JSON that a test starts with.
///
/// ```swift
/// let songs = Fixture(Song.self, #"[{"title": "So What"}, {"title": "Freddie"}]"#)
/// try await stack.load(songs)
/// ```
///
/// A suite loads a fixture for each test with ``StackTrait``. The mappings of imports read a
/// fixture, so it may be the answer of a server. A record that its mapping does not accept is
/// refused, and the error says where it is.
public struct Fixture: Sendable {
  private let load: @Sendable (Stack) async throws -> Void

  /// Creates a fixture of one entity's records in a text.
  ///
  /// - Parameters:
  ///   - type: the entity.
  ///   - json: the text.
  ///   - format: the position of the records in the text; an array unless given.
  ///   - mapping: the mapping of records to attributes; by the names of the schema unless given.
  public init<E: Entity>(
    _ type: E.Type, _ json: String, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic
  ) {
    self.init(type, .data(Data(json.utf8)), format, mapping)
  }

  /// Creates a fixture of one entity's records in a file, such as a file of the test bundle.
  public init<E: Entity>(
    _ type: E.Type, contentsOf url: URL, as format: JSONFormat = .array,
    mapping: JSONMapping<E> = .automatic
  ) {
    self.init(type, .file(url), format, mapping)
  }

  /// Creates a fixture of the records of several entities in a text.
  public init(_ document: JSONDocument, _ json: String) {
    self.init(document, .data(Data(json.utf8)))
  }

  /// Creates a fixture of the records of several entities in a file.
  public init(_ document: JSONDocument, contentsOf url: URL) { self.init(document, .file(url)) }

  private init<E: Entity>(
    _ type: E.Type, _ source: JSONSource, _ format: JSONFormat, _ mapping: JSONMapping<E>
  ) {
    load = { stack in
      try await stack.importJSON(type, from: source, as: format, mapping: mapping)
    }
  }

  private init(_ document: JSONDocument, _ source: JSONSource) {
    load = { stack in try await stack.importJSON(document, from: source) }
  }

  fileprivate func callAsFunction(_ stack: Stack) async throws {
    try await load(stack)
  }
}

extension Stack {
  /// Imports fixtures one after the other, and returns when the view context shows their rows.
  ///
  /// - Throws: [`ImportError`](doc:/StrataImport/ImportError) of a record that does not fit, with its position.
  public func load(_ fixtures: Fixture...) async throws { try await load(fixtures) }

  /// Imports a list of fixtures.
  ///
  /// - Throws: [`ImportError`](doc:/StrataImport/ImportError) of a record that does not fit, with its position.
  public func load(_ fixtures: [Fixture]) async throws {
    for fixture in fixtures { try await fixture(self) }
  }
}
