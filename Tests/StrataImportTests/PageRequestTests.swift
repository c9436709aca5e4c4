import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A page is its whole request. URLRequest on Linux compares URLs and neither fields nor bodies.
@Suite(.inTurn, .stack(Author.self)) struct PageRequestTests {
  let stack = Stack.test

  /// The part of the request that has the cursor.
  enum Cursor: CaseIterable, Sendable { case query, field, body, bodyOfGet }

  private static func cursor(_ request: URLRequest, _ place: Cursor) -> Int {
    switch place {
    case .query: request.url?.query.flatMap { Int($0.dropFirst(2)) } ?? 1
    case .field: request.value(forHTTPHeaderField: "X-Page").flatMap { Int($0) } ?? 1
    case .body, .bodyOfGet:
      request.httpBody.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 1
    }
  }

  private static func request(_ page: Int, _ place: Cursor) throws -> URLRequest {
    var text = "https://api.test/authors"
    if place == .query && page > 1 { text += "?p=\(page)" }
    guard let url = URL(string: text) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    if place == .body { request.httpMethod = "POST" }
    if page > 1 {
      if place == .field { request.setValue("\(page)", forHTTPHeaderField: "x-page") }
      if place == .body || place == .bodyOfGet { request.httpBody = Data("\(page)".utf8) }
    }
    return request
  }

  /// Returns a transport that answers with pages of one author, or 304, and notes the pages.
  private func transport(
    _ place: Cursor, _ versions: Lock<[Int]>, _ asked: Lock<[String]>
  ) -> HTTPTransport {
    .answering { request in
      let page = Self.cursor(request, place)
      // The validator of a server that counts versions, and not those of single pages.
      let tag = "\"\(versions.withLock { $0[page - 1] })\""
      let isKnown = request.value(forHTTPHeaderField: "If-None-Match") == tag
      asked.withLock { $0.append(isKnown ? "\(page)=" : "\(page)") }
      return .init(
        status: isKnown ? 304 : 200, headers: ["ETag": tag],
        body: isKnown ? "" : #"[{"id": \#(page), "name": \#(tag)}]"#)
    }
  }

  private func feed(_ place: Cursor, _ absent: AbsentRows) throws -> Feed {
    var feed = Feed(
      "authors", Author.self, from: try Self.request(1, place), mapping: Author.json,
      absent: absent)
    feed.hasSteadyPages = true
    feed.paging = .next { page throws(PagingError) in
      do { return page.number == 3 ? nil : try Self.request(page.number + 1, place) } catch {
        throw .unreadableLink("")
      }
    }
    return feed
  }

  @Test(arguments: Cursor.allCases, [true, false])
  func `pages may differ in any part of their request`(
    place: Cursor, deletes: Bool
  ) async throws {
    let (versions, asked) = (Lock([1, 1, 1]), Lock<[String]>([]))
    let refresher = Refresher(stack, transport: transport(place, versions, asked), retries: .never)
    let feed = try feed(place, deletes ? .delete : .keep)
    try await refresher.refresh(feed)
    #expect(try await stack.fetch(Author.all).map(\.id).sorted() == [1, 2, 3])
    asked.withLock { $0 = [] }
    // Each change of the pages is seen, whatever may be skipped.
    for page in [2, 1, 3] {
      versions.withLock { $0[page - 1] += 1 }
      try await refresher.refresh(feed)
      let names = try await stack.fetch(Author.sorted(by: \.id)).map(\.name)
      #expect(names == versions.withLock { $0.map { "\($0)" } })
    }
    asked.withLock { $0 = [] }
    try await refresher.refresh(feed)
    let skipped = asked.withLock { $0.filter { $0.hasSuffix("=") } }
    switch place {
    case .query: #expect(skipped == ["1=", "2=", "3="])
    // The store cannot tell the request of the page after a page, so only the last may be skipped.
    case .field, .bodyOfGet: #expect(deletes || skipped == ["3="])
    case .body: #expect(skipped == [])
    }
  }

  @Test(arguments: Cursor.allCases)
  func `the same request again is a circle`(place: Cursor) async throws {
    let (versions, asked) = (Lock([1, 1, 1]), Lock<[String]>([]))
    var feed = try feed(place, .keep)
    feed.paging = .next { page throws(PagingError) in
      do { return try Self.request(page.number % 2 + 1, place) } catch { throw .unreadableLink("") }
    }
    let refresher = Refresher(stack, transport: transport(place, versions, asked), retries: .never)
    let error = await #expect(throws: ImportError.self) { try await refresher.refresh(feed) }
    #expect(error?.underlying as? PagingError == .repeatedPage(feed.request.url))
    #expect(asked.withLock { $0 } == ["1", "2"])
  }

  @Test func `a request in another language has no validator, and a new token keeps it`()
    async throws
  {
    let (versions, asked) = (Lock([1, 1, 1]), Lock<[String]>([]))
    var feed = try feed(.query, .keep)
    feed.paging = .one
    let refresher = Refresher(stack, transport: transport(.query, versions, asked), retries: .never)
    for language in ["de", "de", "en", "en"] {
      feed.request.setValue(language, forHTTPHeaderField: "Accept-Language")
      feed.request.setValue("Bearer \(UUID())", forHTTPHeaderField: "Authorization")
      try await refresher.refresh(feed)
    }
    #expect(asked.withLock { $0 } == ["1", "1=", "1", "1="])
  }
}
