import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

/// Tests full syncs with incomplete feeds.
///
/// A full sync deletes the rows that the feed lacks. An incomplete feed must not look like a
/// complete feed.
@Suite(.inTurn, .stack(Author.self, Book.self)) struct IncompleteFeedTests {
  let stack = Stack.test

  private static let shelf = JSONDocument {
    JSONRecords(Author.self, at: "authors", Author.json)
    JSONRecords(Book.self, at: "books", Book.json)
  }
  private static let mixed = JSONDocument {
    JSONRecords(Author.self, at: "items", Author.json).when("type", is: "author")
    JSONRecords(Book.self, at: "items", Book.json).when("type", is: "book")
  }
  private static let book = #"{"type": "book", "id": 1, "title": "T", "author": 1}"#
  private static let author = #"{"type": "author", "id": 1, "name": "Ann"}"#

  init() async throws {
    try await stack.withScratch { scratch in
      for id in 1...2 {
        scratch.insert(Author(id: id, name: "Ann"))
        scratch.insert(Book(id: id, title: "T", authorID: 1))
      }
    }
  }

  private func sync(_ document: JSONDocument, _ json: String) async throws -> ImportResult {
    try await stack.importJSON(document, from: .data(Data(json.utf8)), absent: .delete)
  }

  private func ids() async throws -> [[Int]] {
    [try await stack.fetch(Author.all).map(\.id), try await stack.fetch(Book.all).map(\.id)]
  }

  @Test(arguments: ["", #", "books": null"#, #", "books": \#(Self.book)"#])
  func `an entity whose array is not in the document keeps its rows`(books: String) async throws {
    let result = try await sync(Self.shelf, #"{"authors": [\#(Self.author)]\#(books)}"#)
    #expect(result.deleted == 1)
    #expect(result.incompleteEntities == [IncompleteEntity(name: "Book", reason: .missingArray)])
    #expect(try await ids() == [[1], [1, 2]])
  }

  @Test func `an array that is empty says that nothing is left`() async throws {
    let result = try await sync(Self.shelf, #"{"books": [], "authors": [\#(Self.author)]}"#)
    #expect(result.deleted == 3 && result.incompleteEntities == [])
    #expect(try await ids() == [[1], []])
  }

  @Test func `records that no part takes may be those that the store has`() async throws {
    let other = #"{"type": "Book", "id": 2, "title": "T", "author": 1}"#
    let result = try await sync(Self.mixed, #"{"items": [\#(Self.author), \#(other)]}"#)
    #expect(result.deleted == 0)
    let incomplete = ["Author", "Book"].map { IncompleteEntity(name: $0, reason: .untakenRecords) }
    #expect(Set(result.incompleteEntities) == Set(incomplete))
    #expect(try await ids() == [[1, 2], [1, 2]])
    let whole = try await sync(Self.mixed, #"{"items": [\#(Self.author), \#(Self.book)]}"#)
    #expect(whole.deleted == 2 && whole.incompleteEntities == [])
    #expect(try await ids() == [[1], [1]])
  }

  @Test func `a page of JSON API without what is included deletes none of that`() async throws {
    let document = JSONDocument {
      JSONRecords.resources("book", Book.json)
      JSONRecords.resources("author", Author.json)
    }
    #expect(try await sync(document, #"{"data": [\#(Self.book)]}"#).deleted == 0)
    #expect(try await ids() == [[1, 2], [1, 2]])
    let whole = #"{"data": [\#(Self.book)], "included": [\#(Self.author)]}"#
    #expect(try await sync(document, whole).deleted == 2)
  }

  @Test(arguments: ["", "\n", " \r\n\n"])
  func `input without anything in it is no feed that has lost everything`(text: String) async throws
  {
    let error = await #expect(throws: ImportError.self) {
      try await stack.books(text, absent: .delete)
    }
    #expect(error?.code == .source)
    #expect(try await ids() == [[1, 2], [1, 2]])
    // An import of several files fails, too, if one of them is empty.
    await #expect(throws: ImportError.self) {
      try await stack.importJSON(
        Book.self, from: [.data(Data(Book.lines([1]).utf8)), .data(Data(text.utf8))], as: .lines,
        mapping: Book.json, absent: .delete)
    }
    #expect(try await ids() == [[1, 2], [1, 2]])
    #expect(try await stack.books(text).records == 0)
  }
}
