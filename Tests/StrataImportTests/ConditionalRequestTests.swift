import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests which requests have validators, and what a server's 412 to them leads to.
@Suite(.inTurn, .stack(Author.self)) struct ConditionalRequestTests {
  let stack = Stack.test

  /// Answers as RFC 9110 wants: a validator that matches is 304 for GET and HEAD, else 412.
  private static func answer(_ request: URLRequest) -> TestServer.Answer {
    let isKnown = request.value(forHTTPHeaderField: "If-None-Match") == "\"1\""
    guard isKnown else {
      return .init(headers: ["ETag": "\"1\""], body: #"[{"id": 1, "name": "A"}]"#)
    }
    return .init(status: ["GET", "HEAD"].contains(request.httpMethod ?? "") ? 304 : 412)
  }

  private func refresher(_ server: TestServer) -> Refresher {
    Refresher(stack, transport: .urlSession(server.configuration), retries: .never)
  }

  private func feed(_ server: TestServer, _ method: String) throws -> Feed {
    var request = try server.request("authors")
    request.httpMethod = method
    return Feed("authors", Author.self, from: request, mapping: Author.json, absent: .delete)
  }

  @Test(arguments: ["GET", "POST", "PUT", "PATCH", "QUERY", "SEARCH", "REPORT"])
  func `a request other than GET is sent without validators`(method: String) async throws {
    let server = TestServer { request, _ in Self.answer(request) }
    let (refresher, feed) = (refresher(server), try feed(server, method))
    for round in 0..<3 {
      let result = try await refresher.refresh(feed)
      #expect((result == .notModified) == (method == "GET" && round > 0))
    }
    let validators = server.requests.map { $0.value(forHTTPHeaderField: "If-None-Match") }
    #expect(validators == (method == "GET" ? [nil, "\"1\"", "\"1\""] : [nil, nil, nil]))
  }

  @Test func `a server that refuses the validators is asked without them`() async throws {
    let server = TestServer { request, _ in
      request.value(forHTTPHeaderField: "If-None-Match") == nil
        ? .init(headers: ["ETag": "\"1\""], body: #"[{"id": 1, "name": "A"}]"#)
        : .init(status: 412)
    }
    let (refresher, feed) = (refresher(server), try feed(server, "GET"))
    for _ in 0..<3 {
      guard case .imported = try await refresher.refresh(feed) else {
        Issue.record("the feed was not read")
        continue
      }
    }
    let validators = server.requests.map { $0.value(forHTTPHeaderField: "If-None-Match") }
    #expect(validators == [nil, "\"1\"", nil, "\"1\"", nil])
  }

  @Test func `a precondition of the app's own that fails is an error`() async throws {
    let server = TestServer { _, _ in .init(status: 412) }
    var feed = try feed(server, "GET")
    feed.request.setValue("\"0\"", forHTTPHeaderField: "If-Match")
    let error = await #expect(throws: ImportError.self) {
      try await refresher(server).refresh(feed)
    }
    #expect((error?.underlying as? HTTPStatusError)?.status == 412)
    #expect(server.requests.count == 1)
  }
}
