import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests that a token reaches the feed's own origin alone, whatever a server's answers name.
@Suite(.inTurn, .stack(Author.self)) struct CredentialTests {
  let stack = Stack.test

  private static let home = "https://api.test/authors"
  /// A field of each kind: the usual credentials, a field that the app marks, and another field.
  private static let fields = [
    "Authorization": "Bearer secret", "cookie": "sid=1", "Proxy-Authorization": "Basic secret",
    "X-Api-Key": "secret", "Accept-Language": "de",
  ]
  private static let kept = Set(fields.keys)
  private static let withheld: Set<String> = ["Accept-Language"]

  enum Link: CaseIterable, Sendable { case linkHeader, jsonAPI, closure }

  /// A next link, and whether it leads to the feed's own origin.
  static let links: [(target: String, isHome: Bool)] = [
    ("?page=2", true), ("/authors?page=2", true), ("https://api.test/authors?page=2", true),
    ("https://API.test:443/authors?page=2", true), ("//api.test/other", true),
    ("http://api.test/authors?page=2", false), ("https://api.test:8443/authors?page=2", false),
    ("https://evil.test/authors?page=2", false), ("//evil.test/x", false),
    ("https://api.test.evil.test/x", false), ("https://sub.api.test/x", false),
    ("https://api.test@evil.test/x", false), ("https://evil.test/?https://api.test/", false),
    ("https://api.test./x", false),
  ]

  private func feed(_ link: Link, _ target: String) throws -> Feed {
    let url = try #require(URL(string: Self.home))
    var request = URLRequest(url: url)
    for (name, value) in Self.fields { request.setValue(value, forHTTPHeaderField: name) }
    let document = JSONDocument { JSONRecords(at: "data", Author.json) }
    var feed = Feed("authors", document, from: request)
    switch link {
    case .linkHeader: feed.paging = .linkHeader
    case .jsonAPI: feed.paging = .jsonAPI
    case .closure:
      feed.paging = .next { page in
        if page.number > 1 { return nil }
        var next = page.request
        next.url = URL(string: target, relativeTo: url)?.absoluteURL
        return next
      }
    }
    return feed
  }

  /// Returns a transport whose first page names the next, and the requests that it gets.
  private func transport(_ targets: [String]) -> (HTTPTransport, Lock<[URLRequest]>) {
    let requests = Lock<[URLRequest]>([])
    var transport = HTTPTransport.answering { request in
      let number = requests.withLock { requests in
        requests.append(request)
        return requests.count
      }
      let next = targets.dropFirst(number - 1).first
      let links = next.map { #", "links": {"next": "\#($0)"}"# } ?? ""
      return .init(
        headers: next.map { ["Link": "<\($0)>; rel=next"] } ?? [:], body: #"{"data": []\#(links)}"#)
    }
    transport.credentialFields.insert("X-API-Key")
    return (transport, requests)
  }

  private func sent(_ request: URLRequest) -> Set<String> {
    Set(
      Self.fields.keys.filter { request.value(forHTTPHeaderField: $0) == Self.fields[$0] })
  }

  @Test(arguments: Link.allCases, links)
  func `a next link takes no token to another origin`(
    link: Link, target: (target: String, isHome: Bool)
  ) async throws {
    let (transport, requests) = transport([target.target])
    let feed = try feed(link, target.target)
    try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    let seen = requests.withLock { $0.map(sent) }
    #expect(seen == [Self.kept, target.isHome ? Self.kept : Self.withheld])
  }

  @Test func `a page of another origin cannot lead the token back`() async throws {
    let (transport, requests) = transport(["https://evil.test/x", "https://api.test/delete"])
    let feed = try feed(.linkHeader, "")
    try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    #expect(requests.withLock { $0.map(sent) } == [Self.kept, Self.withheld, Self.withheld])
  }

  @Test func `a field that the app takes out is no credential`() async throws {
    var (transport, requests) = transport(["https://cdn.test/x"])
    transport.credentialFields = ["Cookie"]
    let feed = try feed(.linkHeader, "")
    try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    #expect(requests.withLock { $0.map(sent) } == [Self.kept, Self.kept.subtracting(["cookie"])])
  }

  @Test(arguments: Link.allCases, ["file:///etc/passwd", "data:,%5B%5D", "ftp://api.test/x"])
  func `a next link to another kind of URL is refused`(link: Link, target: String) async throws {
    let (transport, requests) = transport([target])
    let feed = try feed(link, target)
    let error = await #expect(throws: ImportError.self) {
      try await Refresher(stack, transport: transport, retries: .never).refresh(feed)
    }
    #expect(error?.underlying as? PagingError == .unreadableLink(target))
    #expect(requests.withLock(\.count) == 1)
  }

  // MARK: Redirections

  private static let secrets = ["authorization", "cookie", "proxy-authorization", "x-api-key"]

  /// Sends a request with all fields, some of them by the configuration, and follows a redirection.
  private func redirected(to target: @escaping @Sendable () -> URL, at server: MisbehavingServer)
    async throws
  {
    server.answer { request in
      request.path == "/start"
        ? ServerAnswer(status: 302, headers: ["Location": target().absoluteString], body: "")
        : ServerAnswer(body: "[]")
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Other": "1"]
    var transport = HTTPTransport.urlSession(configuration)
    transport.credentialFields.insert("X-API-Key")
    var request = URLRequest(url: server.url.appending(path: "start"))
    for (name, value) in Self.fields where name != "Authorization" {
      request.setValue(value, forHTTPHeaderField: name)
    }
    try await stack.importJSON(
      Author.self, from: .response(to: request, transport: transport), mapping: Author.json)
  }

  @Test func `a redirection takes no token to another port`() async throws {
    let home = try MisbehavingServer { _ in ServerAnswer(body: "[]") }
    let other = try MisbehavingServer { _ in ServerAnswer(body: "[]") }
    let target = other.url.appending(path: "end")
    try await redirected(to: { target }, at: home)
    let (first, last) = (try #require(home.requests.last), try #require(other.requests.last))
    #expect(first.headers["authorization"] == "Bearer secret")
    #expect(Self.secrets.allSatisfy { first.headers[$0] != nil })
    #expect(Self.secrets.allSatisfy { last.headers[$0] == nil })
    #expect(last.headers["accept-language"] == "de" && last.headers["x-other"] == "1")
  }

  @Test func `a redirection of the same origin keeps the token`() async throws {
    let home = try MisbehavingServer { _ in ServerAnswer(body: "[]") }
    let target = home.url.appending(path: "end")
    try await redirected(to: { target }, at: home)
    #expect(home.requests.map(\.path) == ["/start", "/end"])
    #expect(home.requests.last?.headers["x-api-key"] == "secret")
  }
}
