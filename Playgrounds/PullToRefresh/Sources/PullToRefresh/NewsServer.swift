import FlyingFox
import FlyingSocks
import Foundation

/// A small server of headlines, with ten on each page and a tag for each page.
///
/// It fails on demand.
actor NewsServer {
  private let server: HTTPServer
  private var headlines: [Int: String] = [:]
  private var failures = 0
  private var delay = Duration.zero
  /// The answers, the newest last, such as `200 page 1`.
  private(set) var log: [String] = []

  init() throws {
    server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
  }

  /// Starts the server on a free port. It runs until the process ends.
  func start() async throws -> URL {
    for id in 1...25 { headlines[id] = "Headline \(id)" }
    await server.appendRoute("GET /news") { [self] request in try await answer(request) }
    Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress,
      let url = URL(string: "http://127.0.0.1:\(port)/news")
    else { throw URLError(.cannotConnectToHost) }
    return url
  }

  // MARK: Changes of the server between two calls

  func publish(_ id: Int, _ headline: String?) { headlines[id] = headline }
  func fail(times count: Int) { failures = count }
  func slowDown(_ delay: Duration) { self.delay = delay }

  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  // MARK: Answers

  private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let page = request.query["page"].flatMap { Int($0) } ?? 1
    try await Task.sleep(for: delay)
    let response = try response(page: page, knownTag: request.headers[HTTPHeader("If-None-Match")])
    log.append("\(response.statusCode.code) page \(page)")
    return response
  }

  private func response(page: Int, knownTag: String?) throws -> HTTPResponse {
    if failures > 0 {
      failures -= 1
      return HTTPResponse(statusCode: .serviceUnavailable)
    }
    let all = headlines.sorted { $0.key < $1.key }
    let rows = all.dropFirst((page - 1) * 10).prefix(10)
    let body = try JSONSerialization.data(
      withJSONObject: rows.map { ["id": $0.key, "headline": $0.value] }, options: .sortedKeys)
    var headers = HTTPHeaders()
    let tag = "\"\(body.reduce(5381) { $0 &* 33 &+ Int($1) })\""
    headers[HTTPHeader("ETag")] = tag
    if page * 10 < all.count {
      headers[HTTPHeader("Link")] = "</news?page=\(page + 1)>; rel=\"next\""
    }
    if tag == knownTag { return HTTPResponse(statusCode: .notModified, headers: headers) }
    return HTTPResponse(statusCode: .ok, headers: headers, body: body)
  }
}
