import Foundation
import Strata
import StrataTesting

@testable import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server without a network, for one test.
///
/// A closure answers the requests, and the server records them.
final class TestServer: Sendable {
  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body = ""
    /// Whether the connection breaks in the middle of the body.
    var breaks = false
    /// The gate that the answer waits for.
    var gate: TestGate?
  }

  private struct State: Sendable {
    var requests: [URLRequest] = []
    var answer: @Sendable (URLRequest, Int) -> Answer
  }

  private let host = "\(UUID().uuidString.lowercased()).test"
  private let state: Lock<State>

  /// - Parameter answer: receives the request and its position among all requests, from 1.
  init(_ answer: @escaping @Sendable (URLRequest, Int) -> Answer) {
    state = Lock(State(answer: answer))
    Self.all.withLock { $0[host] = self }
  }

  deinit { Self.all.withLock { [host] all in all[host] = nil } }

  var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Connection.self]
    return configuration
  }

  func request(_ path: String) throws -> URLRequest {
    guard let url = URL(string: "http://\(host)/\(path)") else { throw URLError(.badURL) }
    return URLRequest(url: url)
  }

  /// The requests until now.
  var requests: [URLRequest] { state.withLock { $0.requests } }

  /// The paths of the requests, with their queries.
  var paths: [String] {
    requests.map { ($0.url?.path ?? "") + ($0.url?.query.map { "?\($0)" } ?? "") }
  }

  func answer(_ answer: @escaping @Sendable (URLRequest, Int) -> Answer) {
    state.withLock { $0.answer = answer }
  }

  private func receive(_ request: URLRequest) -> Answer {
    let (answer, number) = state.withLock { state in
      state.requests.append(request)
      return (state.answer, state.requests.count)
    }
    return answer(request, number)
  }

  private static let all = Lock<[String: TestServer]>([:])

  private final class Connection: URLProtocol {
    override static func canInit(with request: URLRequest) -> Bool { true }
    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
      let request = request
      guard let url = request.url,
        let server = TestServer.all.withLock({ $0[url.host ?? ""] })
      else { return }
      let answer = server.receive(request)
      guard let gate = answer.gate else { return send(answer, to: url) }
      nonisolated(unsafe) let connection = self
      Task {
        await gate.pass()
        connection.send(answer, to: url)
      }
    }

    private func send(_ answer: Answer, to url: URL) {
      let response = HTTPURLResponse(
        url: url, statusCode: answer.status, httpVersion: "HTTP/1.1",
        headerFields: answer.headers)
      guard let response else { return }
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      let body = Data(answer.body.utf8)
      if answer.breaks {
        client?.urlProtocol(self, didLoad: body.prefix(body.count / 2))
        client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
      } else {
        if !body.isEmpty { client?.urlProtocol(self, didLoad: body) }
        client?.urlProtocolDidFinishLoading(self)
      }
    }
  }
}

extension Refresher {
  /// Returns when `count` callers wait for a feed.
  func waiting(_ count: Int, for name: String) async {
    while passengers(of: name) < count { await Task.yield() }
  }
}
