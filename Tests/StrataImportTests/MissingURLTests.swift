import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request gets no URL if a server's text is none. Foundation on Linux ends the process when such a
/// request is changed.
@Suite(.inTurn, .stack(Author.self)) struct MissingURLTests {
  let stack = Stack.test

  private func request(_ url: String) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "https://api.test/")))
    request.url = URL(string: url)
    return request
  }

  private let transport = HTTPTransport.answering { _ in
    .init(headers: ["X-Next": "ht tp://[nonsense"], body: "[]")
  }

  @Test func `a page without a URL is a link that cannot be read`() async throws {
    var feed = Feed("authors", Author.self, from: try request("https://api.test/"))
    feed.paging = .next { page in
      var request = page.request
      request.url = page.response.value(forHTTPHeaderField: "X-Next").flatMap(URL.init(string:))
      return request
    }
    let error = await #expect(throws: ImportError.self) {
      try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    }
    #expect(error?.code == .source)
    #expect(error?.underlying as? PagingError == .unreadableLink("a request without a URL"))
  }

  @Test func `a feed without a URL is an error`() async throws {
    let feed = Feed("authors", Author.self, from: try request("ht tp://[nonsense"))
    let error = await #expect(throws: ImportError.self) {
      try await Refresher(stack, transport: transport).refresh(feed)
    }
    #expect((error?.underlying as? URLError)?.code == .badURL)
  }

  @Test func `a response to a request without a URL is an error`() async throws {
    let request = try request("ht tp://[nonsense")
    for transport in [transport, .urlSession(.ephemeral)] {
      let error = await #expect(throws: ImportError.self) {
        try await stack.importJSON(
          Author.self, from: .response(to: request, transport: transport))
      }
      #expect((error?.underlying as? URLError)?.code == .badURL)
    }
  }
}
