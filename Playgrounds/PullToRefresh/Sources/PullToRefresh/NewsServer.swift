import FlyingFox
import FlyingSocks
import Foundation

/// A small server of articles, with ten on each page and a tag for each page.
///
/// It gives ids, counts versions, and fails on demand.
actor NewsServer {
  private let server: HTTPServer
  private var newsroom = Newsroom()
  private var failures = 0
  private var delay = Duration.zero
  /// The number of seconds for which the next client that writes is to wait; nil for none.
  private var pause: Int?
  private var losesNextAnswer = false
  /// The answers to requests that were done, by their idempotency keys.
  private var answers: [String: HTTPResponse] = [:]
  /// The answers, the newest last, such as `200 page 1`.
  private var log: [String] = []

  init() throws {
    server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
  }

  /// Starts the server on a free port. It runs until the process ends.
  func start() async throws -> URL {
    for id in 1...25 { publish(id, "Headline \(id)") }
    await server.appendRoute("GET /news") { [self] request in try await feed(request) }
    for route in ["POST /news", "PATCH /news/*", "DELETE /news/*"] {
      await server.appendRoute(HTTPRoute(route)) { [self] request in try await write(request) }
    }
    Task { try await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress,
      let url = URL(string: "http://127.0.0.1:\(port)/news")
    else { throw URLError(.cannotConnectToHost) }
    return url
  }

  // MARK: Changes of the server between two calls

  var articles: [Newsroom.Item] { newsroom.all }

  /// Changes an article, adds the next one, or withdraws one. A new article has the number of its id.
  func publish(_ id: Int, _ headline: String?, number: Int? = nil) {
    if let headline {
      let edit = Newsroom.Edit(number: number, headline: headline)
      guard (try? newsroom.change(id, edit, ifMatch: nil)) == nil else { return }
      _ = try? newsroom.add(Newsroom.Edit(number: number ?? id, headline: headline))
    } else {
      try? newsroom.remove(id, ifMatch: nil)
    }
  }
  func fail(times count: Int) { failures = count }
  func slowDown(_ delay: Duration) { self.delay = delay }
  func demandPause(seconds: Int) { pause = seconds }
  func loseNextAnswer() { losesNextAnswer = true }

  func takeLog() -> [String] {
    defer { log = [] }
    return log
  }

  // MARK: The feed

  private func feed(_ request: HTTPRequest) async throws -> HTTPResponse {
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
    let all = newsroom.all
    let body = try Self.json(Array(all.dropFirst((page - 1) * 10).prefix(10)))
    var headers = HTTPHeaders()
    let tag = "\"\(body.reduce(5381) { $0 &* 33 &+ Int($1) })\""
    headers[HTTPHeader("ETag")] = tag
    if page * 10 < all.count {
      headers[HTTPHeader("Link")] = "</news?page=\(page + 1)>; rel=\"next\""
    }
    if tag == knownTag { return HTTPResponse(statusCode: .notModified, headers: headers) }
    return HTTPResponse(statusCode: .ok, headers: headers, body: body)
  }

  // MARK: Writing

  private func write(_ request: HTTPRequest) async throws -> HTTPResponse {
    let key = request.headers[HTTPHeader("Idempotency-Key")]
    let body = try await request.bodyData
    var response = try key.flatMap { answers[$0] } ?? answer(request, body)
    if let key, response.statusCode.code < 300 { answers[key] = response }
    if losesNextAnswer {
      losesNextAnswer = false
      response = HTTPResponse(statusCode: .gatewayTimeout)
    }
    log.append("\(response.statusCode.code) \(request.method.rawValue) \(request.path)")
    return response
  }

  private func answer(_ request: HTTPRequest, _ body: Data) throws -> HTTPResponse {
    if let seconds = pause {
      pause = nil
      var headers = HTTPHeaders()
      headers[HTTPHeader("Retry-After")] = "\(seconds)"
      return HTTPResponse(statusCode: .tooManyRequests, headers: headers)
    }
    let id = request.path.split(separator: "/").last.flatMap { Int($0) }
    let version = request.headers[HTTPHeader("If-Match")].flatMap { Int($0) }
    do {
      if request.method == .DELETE {
        try newsroom.remove(id ?? 0, ifMatch: version)
        return HTTPResponse(statusCode: .noContent)
      }
      let edit = try JSONDecoder().decode(Newsroom.Edit.self, from: body)
      guard let id else {
        return HTTPResponse(statusCode: .created, body: try Self.json(newsroom.add(edit)))
      }
      let item = try newsroom.change(id, edit, ifMatch: version)
      return HTTPResponse(statusCode: .ok, body: try Self.json(item))
    } catch Newsroom.Refusal.unknown {
      return HTTPResponse(statusCode: .notFound)
    } catch Newsroom.Refusal.changed(let item) {
      return HTTPResponse(statusCode: .preconditionFailed, body: try Self.json(item))
    } catch Newsroom.Refusal.numberTaken(let number) {
      return HTTPResponse(statusCode: .conflict, body: Data("number \(number) is taken".utf8))
    }
  }

  private static func json(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(value)
  }
}
