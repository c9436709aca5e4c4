import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func authors(_ ids: some Sequence<Int>) -> String {
  "[" + ids.map { #"{"id": \#($0), "name": "A"}"# }.joined(separator: ",") + "]"
}

private func books(_ ids: some Sequence<Int>) -> String {
  "[" + ids.map { Book.lines([$0]) }.joined(separator: ",") + "]"
}

/// Tests that a validator counts only while the store has the rows that the validator stands for.
@Suite(.inTurn, .stack(Author.self, Book.self)) struct ValidatorTests {
  let stack = Stack.test

  /// Returns a server with a body for each path. The tag of a body is its hash value.
  private func server(_ bodies: Lock<[String: String]>) -> TestServer {
    TestServer { request, _ in
      let path = (request.url?.path ?? "") + (request.url?.query.map { "?\($0)" } ?? "")
      let body = bodies.withLock { $0[path] } ?? "[]"
      let tag = "\"\(body.hashValue)\""
      if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
      return .init(headers: ["ETag": tag], body: body)
    }
  }

  private func feeds(
    _ server: TestServer, absent: AbsentRows = .keep
  ) throws -> (authors: Feed, books: Feed) {
    (
      Feed(
        "authors", Author.self, from: try server.request("authors"), mapping: Author.json,
        absent: absent),
      Feed(
        "books", Book.self, from: try server.request("books"), mapping: Book.json, absent: absent)
    )
  }

  private func refresher(_ server: TestServer) -> Refresher {
    Refresher(
      stack, transport: .urlSession(server.configuration), retries: .never,
      clock: ManualClock(skippingSleeps: true))
  }

  private func ids() async throws -> [[Int]] {
    [try await stack.fetch(Author.all).map(\.id), try await stack.fetch(Book.all).map(\.id)]
  }

  // MARK: Rows that the store lacks

  /// The refused books must appear when their author arrives later.
  @Test func `a feed of which records were left out is asked for whole`() async throws {
    let bodies = Lock(["/books": books(1...2), "/authors": authors([])])
    let server = server(bodies)
    var (authorFeed, bookFeed) = try feeds(server)
    bookFeed.options.refusedRecords = .skip()
    authorFeed.options = bookFeed.options
    let refresher = refresher(server)
    try await refresher.refresh(bookFeed)
    #expect(try await ids() == [[], []])
    // The feed is fresh after the import. Only its validator is not used.
    #expect(try await refresher.refresh(bookFeed, ifOlderThan: .seconds(1_000_000)) == .fresh)
    bodies.withLock { $0["/authors"] = authors([1]) }
    try await refresher.refresh(authorFeed)
    try await refresher.refresh(bookFeed)
    #expect(try await ids() == [[1], [1, 2]])
    #expect(try await refresher.refresh(bookFeed) == .notModified)
  }

  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  @MainActor func `a feed of which absent rows were kept is asked for whole`(
    commits: ImportOptions.Commits
  ) async throws {
    let bodies = Lock(["/authors": authors(1...3)])
    let server = server(bodies)
    var feed = try feeds(server, absent: .delete).authors
    feed.options.commits = commits
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    let author = try #require(try await stack.viewContext.fetch(Author.where { $0.id == 2 }).first)
    stack.viewContext.update(author) { $0.name = "mine" }
    bodies.withLock { $0["/authors"] = authors([1]) }
    try await refresher.refresh(feed)
    stack.viewContext.rollback()
    #expect(try await ids()[0] == [1, 2])
    #expect(try await refresher.refresh(feed) != .notModified)
    #expect(try await ids()[0] == [1])
    #expect(try await refresher.refresh(feed) == .notModified)
  }

  @Test func `a feed of which an edit kept a value is asked for whole`() async throws {
    let bodies = Lock(["/authors": authors([1])])
    let server = server(bodies)
    let feed = try feeds(server).authors
    let refresher = refresher(server)
    let outbox = try await stack.outbox()
    try await stack.withScratch { $0.insert(Author(id: 1, name: "mine")) }
    try await refresher.refresh(feed)
    #expect(try await stack.fetch(Author.all).map(\.name) == ["mine"])
    try await outbox.acknowledgeEverything()
    try await refresher.refresh(feed)
    #expect(try await stack.fetch(Author.all).map(\.name) == ["A"])
  }

  /// The deletion of an author deletes its books. The feed of books must forget its validator.
  /// Otherwise the books would come back only with a newer version of their feed.
  @Test(arguments: [ImportOptions.Commits.batched, .atomic])
  func `a feed whose rows another feed deletes is asked for whole again`(
    commits: ImportOptions.Commits
  ) async throws {
    let bodies = Lock(["/authors": authors([1, 2]), "/books": books(1...2)])
    let server = server(bodies)
    var (authorFeed, bookFeed) = try feeds(server, absent: .delete)
    authorFeed.options.commits = commits
    bookFeed.options.commits = commits
    let refresher = refresher(server)
    try await refresher.refresh(authorFeed)
    try await refresher.refresh(bookFeed)
    bodies.withLock { $0["/authors"] = authors([2]) }
    try await refresher.refresh(authorFeed)
    #expect(try await ids() == [[2], []])
    // The store has the version of this feed's own validator.
    #expect(try await refresher.refresh(authorFeed) == .notModified)
    bodies.withLock { $0["/authors"] = authors([1, 2]) }
    try await refresher.refresh(authorFeed)
    try await refresher.refresh(bookFeed)
    #expect(try await ids() == [[1, 2], [1, 2]])
    #expect(try await refresher.refresh(bookFeed) == .notModified)
  }

  @Test func `a record that says that a row is gone takes others along`() async throws {
    let bodies = Lock(["/authors": authors([1]), "/books": books(1...2)])
    let server = server(bodies)
    let (authorFeed, bookFeed) = try feeds(server)
    let refresher = refresher(server)
    try await refresher.refresh(authorFeed)
    try await refresher.refresh(bookFeed)
    let gone = JSONDocument { JSONRecords.deleted(Author.self, at: "gone") }
    try await stack.importJSON(gone, from: .data(Data(#"{"gone": [1]}"#.utf8)))
    try await refresher.refresh(authorFeed)
    try await refresher.refresh(bookFeed)
    #expect(try await ids() == [[1], [1, 2]])
  }

  // MARK: Requests without validators

  @Test func `an answer "not modified" to a request without validators is an error`() async throws {
    let server = TestServer { _, number in .init(status: number < 4 ? 304 : 500) }
    let error = await #expect(throws: ImportError.self) {
      try await refresher(server).refresh(try feeds(server).authors)
    }
    #expect((error?.underlying as? HTTPStatusError)?.status == 304)
    #expect(server.requests.count == 1)
    #expect(try await stack.lastImported(.feed("authors")) == nil)
  }

  @Test func `validators of the request's own are not sent`() async throws {
    let bodies = Lock(["/authors": authors([1])])
    let server = server(bodies)
    var feed = try feeds(server).authors
    feed.request.setValue("\"\(authors([1]).hashValue)\"", forHTTPHeaderField: "If-None-Match")
    try await refresher(server).refresh(feed)
    #expect(try await ids()[0] == [1])
  }

  // MARK: Pages that shift

  /// A row that moves to a page that has been read is on no page that is read later. The import
  /// must not delete it as absent.
  @Test(arguments: [1, 2, 3])
  func `rows that move while pages are read are not absent`(shifts: Int) async throws {
    let pages = Lock([[1, 2], [3, 4], [5, 6]])
    let count = Lock(0)
    let server = TestServer { request, _ in
      let page = request.url?.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 1
      if page == 2, request.value(forHTTPHeaderField: "If-None-Match") == nil {
        let isShifted = count.withLock { count in
          count += 1
          return count <= shifts
        }
        // The first row disappears after its page has been read, so that all rows move up.
        if isShifted {
          pages.withLock { pages in
            let rows = pages.flatMap(\.self).dropFirst()
            pages = [Array(rows.prefix(2)), Array(rows.dropFirst(2).prefix(2)), rows.suffix(1)]
            if rows.count < 5 { pages[2] = [] }
          }
        }
      }
      let body = authors(pages.withLock { $0[page - 1] })
      let tag = "\"\(body.hashValue)\""
      if request.value(forHTTPHeaderField: "If-None-Match") == tag { return .init(status: 304) }
      return .init(headers: ["ETag": tag], body: body)
    }
    try await stack.withScratch { scratch in for id in 1...7 { scratch.insert(Author(id: id)) } }
    var feed = Feed(
      "authors", Author.self, from: try server.request("authors"), mapping: Author.json,
      absent: .delete)
    feed.paging = .next {
      $0.number < 3 ? $0.request(with: ["page": "\($0.number + 1)"]) : nil
    }
    let refresher = refresher(server)
    guard case .imported(let result) = try await refresher.refresh(feed) else {
      Issue.record("not imported")
      return
    }
    let left = Array((1 + shifts)...6)
    if shifts < 3 {
      #expect(try await ids()[0] == left)
      #expect(result.incompleteEntities.isEmpty)
    } else {
      #expect(try await ids()[0] == Array(1...7))
      #expect(
        result.incompleteEntities.map(\.description) == [
          "Author: pages changed while others were read"
        ])
      #expect(try await refresher.refresh(feed) != .notModified)
      #expect(try await ids()[0] == left)
    }
    #expect(try await refresher.refresh(feed) == .notModified)
  }

  // MARK: The scope of a validator

  @Test func `rows that are evicted behind an unchanged page are asked for again`() async throws {
    let bodies = Lock(["/authors": authors([1, 2]), "/authors?page=2": authors([3])])
    let gate = TestGate()
    let server = server(bodies)
    var feed = try feeds(server).authors
    feed.paging = .next { $0.number == 1 ? $0.request(with: ["page": "2"]) : nil }
    let refresher = refresher(server)
    try await refresher.refresh(feed)
    bodies.withLock { $0["/authors?page=2"] = authors([3, 4]) }
    server.answer { request, number in
      if number == 3 { return .init(status: 304) }
      let body = request.url?.query == nil ? authors([1, 2]) : authors([3, 4])
      let tag = "\"\(body.hashValue)\""
      return .init(headers: ["ETag": tag], body: body, gate: number == 4 ? gate : nil)
    }
    let refreshing = Task { [feed] in try await refresher.refresh(feed) }
    await gate.waitForArrivals()
    _ = try await stack.evict(.beyond(newest: 0, by: \Author.id))
    await gate.open()
    _ = try await refreshing.value
    #expect(try await ids()[0] == [1, 2, 3, 4])
  }

  @Test func `another path or another rule for the same bytes is asked for whole`() async throws {
    let bodies = Lock(["/authors": #"{"a": \#(authors([1])), "b": \#(authors([1, 2]))}"#])
    let server = server(bodies)
    let refresher = refresher(server)
    func feed(_ path: String, _ absent: AbsentRows) throws -> Feed {
      Feed(
        "authors", Author.self, from: try server.request("authors"), as: .array(at: path),
        mapping: Author.json, absent: absent)
    }
    try await refresher.refresh(try feed("a", .keep))
    #expect(try await refresher.refresh(try feed("b", .keep)) != .notModified)
    #expect(try await ids()[0] == [1, 2])
    try await stack.withScratch { $0.insert(Author(id: 9)) }
    #expect(try await refresher.refresh(try feed("b", .delete)) != .notModified)
    #expect(try await ids()[0] == [1, 2])
    #expect(try await refresher.refresh(try feed("b", .delete)) == .notModified)
    // The new rule has as many queries, but a different query. Its rows were never compared with
    // the feed.
    let old = AbsentRows.delete(within: Author.where { $0.id > 20 })
    let new = AbsentRows.delete(within: Author.where { $0.id > 8 })
    #expect(try await refresher.refresh(try feed("b", old)) != .notModified)
    try await stack.withScratch { $0.insert(Author(id: 9)) }
    #expect(try await refresher.refresh(try feed("b", old)) == .notModified)
    #expect(try await refresher.refresh(try feed("b", new)) != .notModified)
    #expect(try await ids()[0] == [1, 2])
  }
}
