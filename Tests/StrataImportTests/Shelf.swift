import Foundation
import Strata
import StrataTesting

@testable import StrataImport

/// An author in the tests of imports.
struct Author: Entity, Equatable {
  var id = 0
  var name = ""

  static let schema = Schema<Author>("authors", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Author> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
}

/// A book in the tests of imports. Its author is required.
struct Book: Entity, Equatable {
  var id = 0
  var title = ""
  var shelf = 0
  var note = ""
  var authorID = 0

  static let author = toOne(\.authorID, Author.self, onDelete: .cascade)
  static let schema = Schema<Book>("books", key: \.id) {
    Attribute(\.title).indexed().validated("must not be cursed") { $0 != "cursed" }
    Attribute(\.shelf).indexed()
    Attribute(\.note)
    author
  }
  /// A mapping without the note, which belongs to the user.
  static let json = JSONMapping<Book> {
    Field(\.id, "id")
    Field(\.title, "title").required()
    Field(\.shelf, "shelf")
    Field(\.authorID, "author")
  }
  /// A mapping for records with some of the attributes.
  static let partial = JSONMapping<Book> {
    Field(\.id, "id")
    Field(\.title, "title")
    Field(\.shelf, "shelf")
    Field(\.authorID, "author")
  }
}

extension Book {
  static func lines(_ ids: some Sequence<Int>, title: String = "T") -> String {
    ids.map { #"{"id": \#($0), "title": "\#(title)", "shelf": \#($0 % 3), "author": 1}"# }
      .joined(separator: "\n")
  }
}

extension Stack {
  /// Imports books as JSON lines.
  @discardableResult
  func books(
    _ lines: String, absent: AbsentRows = .keep, options: ImportOptions = ImportOptions(),
    monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    try await importJSON(
      Book.self, from: .data(Data(lines.utf8)), as: .lines, mapping: Book.json, absent: absent,
      options: options, monitor: monitor)
  }
}

extension ImportOptions {
  init(batchSize: Int? = nil, _ change: (inout Self) -> Void = { _ in }) {
    self.init()
    self.batchSize = batchSize
    change(&self)
  }
}

/// A feed in pieces. All pieces after the first piece wait for a gate.
struct HeldFeed: AsyncSequence, Sendable {
  let pieces: [Data]
  let gate: TestGate

  init(_ pieces: [String], _ gate: TestGate) {
    self.pieces = pieces.map { Data($0.utf8) }
    self.gate = gate
  }

  struct Iterator: AsyncIteratorProtocol {
    let feed: HeldFeed
    var index = 0

    mutating func next() async -> Data? {
      if index == 1 { await feed.gate.pass() }
      guard index < feed.pieces.count else { return nil }
      defer { index += 1 }
      return feed.pieces[index]
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(feed: self) }
}
