import FlyingFox
import Foundation
import LiveMapServer

/// Serves the page with both maps to this machine alone.
struct WebServer {
  private let server: HTTPServer

  /// - Parameter port: the port; 0 for any free port.
  init(_ world: World, port: UInt16) async throws {
    server = try .local(port: port)
    for file in ["index.html", "page.js", "page.css"] {
      let handler = FileHTTPHandler(named: "Page/\(file)", in: .module, cacheControl: [.noCache])
      await server.appendRoute(
        HTTPRoute("GET /\(file == "index.html" ? "" : file)"), to: handler)
    }
    await server.appendRoute("GET /state") { _ in
      HTTPResponse(statusCode: .ok, body: try JSONEncoder().encode(await world.report()))
    }
    await server.appendRoute("POST /:host/plug") {
      try await Self.act($0, world) { try $0.setPlugged(true) }
    }
    await server.appendRoute("POST /:host/unplug") {
      try await Self.act($0, world) { try $0.setPlugged(false) }
    }
    await server.appendRoute("POST /:host/write") { request in
      let (note, rank) = (request.query["note"] ?? "", Int(request.query["rank"] ?? "") ?? 0)
      return try await Self.act(request, world) { try await $0.write(note, rank: rank) }
    }
    await server.appendRoute("POST /:host/revert") { request in
      let id = request.query["id"] ?? ""
      return try await Self.act(request, world) { try await $0.revert(id) }
    }
    await server.appendRoute("POST /:host/restore") { request in
      let id = request.query["id"] ?? ""
      return try await Self.act(request, world) { try await $0.restore(id) }
    }
  }

  private static func act(
    _ request: HTTPRequest, _ world: World,
    _ body: @MainActor @Sendable (Host) async throws -> Void
  ) async throws -> HTTPResponse {
    guard request.isOwn else { return HTTPResponse(statusCode: .forbidden) }
    guard let host = await world.host(named: request.routeParameters["host"] ?? "") else {
      return HTTPResponse(statusCode: .notFound)
    }
    try await body(host)
    return HTTPResponse(statusCode: .noContent)
  }

  func run() async throws { try await server.run() }

  func stop() async { await server.stop() }

  /// Returns the page's address when the server listens. Throws if it does not listen within two
  /// seconds.
  func address() async throws -> String { try await server.localAddress() }
}
