import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.inTurn, .stack(Author.self, Book.self)) struct JSONAPITests {
  let stack = Stack.test

  private static let author = JSONMapping<Author> {
    Field(\.id, "id").allowingNumberInString()
    Field(\.name, "attributes.name")
  }
  private static let book = JSONMapping<Book> {
    Field(\.id, "id").allowingNumberInString()
    Field(\.title, "attributes.title")
    Field(\.authorID, "relationships.author.data.id").allowingNumberInString()
  }
  private static let document = JSONDocument {
    JSONRecords.primary("books", book)
    JSONRecords.included("authors", author)
    JSONRecords.ignoredInclusion("shops")
    JSONRecords.member("meta")
    JSONRecords.member("links")
  }

  private static func book(_ id: Int, by author: Int) -> String {
    #"{"type": "books", "id": "\#(id)", "attributes": {"title": "T"}, "relationships": {"author": {"data": {"type": "authors", "id": "\#(author)"}}}}"#
  }
  private static func author(_ id: Int) -> String {
    #"{"type": "authors", "id": "\#(id)", "attributes": {"name": "Ann"}}"#
  }

  private func importing(_ json: String, chunk: Int = .max) async throws -> ImportResult {
    let text = Data(json.utf8)
    let pieces = stride(from: 0, to: text.count, by: min(chunk, text.count)).map {
      text.dropFirst($0).prefix(chunk)
    }
    return try await stack.importJSON(
      Self.document,
      from: .chunks(
        AsyncStream { stream in
          for piece in pieces { stream.yield(Data(piece)) }
          stream.finish()
        }), absent: .delete)
  }

  @Test(arguments: [1, 7, Int.max])
  func `links and meta are read as they stand`(chunk: Int) async throws {
    let result = try await importing(
      #"""
      {"meta": {"count": 2, "text": "a\"]"}, "data": [\#(Self.book(1, by: 1))],
       "links": {"self": "/a", "next": {"href": "/b?page=2"}, "last": null},
       "included": [\#(Self.author(1)), {"type": "shops", "id": "5"}], "jsonapi": {}}
      """#, chunk: chunk)
    #expect(result.inserted == 2 && result.records == 3 && result.incompleteEntities.isEmpty)
    let members = result.members
    #expect(members["meta"] == #"{"count": 2, "text": "a\"]"}"#)
    #expect(try members.link("self") == "/a" && members.link("next") == "/b?page=2")
    #expect(try members.link("last") == nil && members.link("prev") == nil)
    struct Meta: Decodable { let count: Int }
    #expect(try members.decoded(Meta.self, at: "meta")?.count == 2)
    #expect(members["other"] == nil)
  }

  @Test(arguments: ["5", "\"x\"", "null", "[1, {}]", "true", "-1.5e3"])
  func `a member may be of any kind`(value: String) async throws {
    let result = try await importing(#"{"meta": \#(value), "data": []}"#, chunk: 1)
    #expect(result.members["meta"] == value)
    #expect(throws: (any Error).self) {
      var broken = JSONMembers()
      broken.texts["links"] = #"{"next": 5}"#
      _ = try broken.link("next")
    }
  }

  @Test func `a resource of an ignored type counts as ignored, not as missing`() async throws {
    let whole = #"{"data": [\#(Self.book(1, by: 1))], "included": [\#(Self.author(1))]}"#
    _ = try await importing(whole)
    try await stack.withScratch { scratch in
      scratch.insert(Author(id: 2))
      scratch.insert(Book(id: 2, authorID: 1))
    }
    let other = #"{"data": [\#(Self.book(1, by: 1))], "included": [{"type": "tags", "id": "1"}]}"#
    let result = try await importing(other)
    #expect(result.deleted == 1 && result.incompleteEntities.map(\.name) == ["Author"])
    let shops = #"{"type": "shops", "id": "1"}"#
    let shop = #"{"data": [\#(Self.book(1, by: 1))], "included": [\#(Self.author(1)), \#(shops)]}"#
    #expect(try await importing(shop).deleted == 1)
    #expect(try await stack.fetch(Author.all).map(\.id) == [1])
  }

  @Test func `pages are found by the documents' links`() async throws {
    let server = TestServer { request, _ in
      let page = request.url?.query ?? ""
      let next = page.isEmpty ? #""next": "?page=2""# : #""next": null"#
      let id = page.isEmpty ? 1 : 2
      return .init(
        body: #"""
          {"links": {\#(next)}, "data": [\#(Self.book(id, by: id))], "included": [\#(Self.author(id))]}
          """#)
    }
    try await stack.withScratch { $0.insert(Author(id: 9)) }
    var feed = Feed(
      "books",
      JSONDocument {
        JSONRecords.resources("books", Self.book)
        JSONRecords.resources("authors", Self.author)
      }, from: try server.request("books"), absent: .delete)
    feed.paging = .jsonAPI
    feed.hasSteadyPages = true
    let refresher = Refresher(stack, transport: .urlSession(server.configuration))
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("nothing was imported")
      return
    }
    #expect(result.inserted == 4 && result.deleted == 1)
    #expect(server.paths == ["/books", "/books?page=2"])
  }

  /// The page must not look like the last page. The rows of the later pages would look absent.
  @Test func `a link that cannot be read is an error`() async throws {
    let server = TestServer { _, _ in .init(body: #"{"links": {"next": 5}, "data": []}"#) }
    try await stack.withScratch { $0.insert(Author(id: 9)) }
    var feed = Feed(
      "authors", JSONDocument { JSONRecords.primary("authors", Self.author) },
      from: try server.request("authors"), absent: .delete)
    feed.paging = .jsonAPI
    let refresher = Refresher(
      stack, transport: .urlSession(server.configuration), retries: RetryPolicy(jitter: 0),
      clock: ManualClock(skippingSleeps: true))
    let error = await #expect(throws: ImportError.self) { try await refresher.refresh(feed) }
    #expect(error?.underlying is PagingError)
    #expect(try await stack.fetch(Author.all).map(\.id) == [9])
  }
}
