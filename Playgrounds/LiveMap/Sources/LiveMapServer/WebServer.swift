import FlyingFox
import Foundation

/// Serves the page's files, and a WebSocket to each page.
struct WebServer {
  private let server: HTTPServer

  /// Makes a server to which only this machine can connect.
  ///
  /// - Parameter port: the port; 0 for any free port.
  init(_ world: World, port: UInt16) async throws {
    server = try .local(port: port)
    for file in try Bundle.module.files(in: "Page") {
      let route = HTTPRoute("GET /\(file == "index.html" ? "" : file)")
      let handler = FileHTTPHandler(
        named: "Page/\(file)", in: .module, cacheControl: [.noCache])
      await server.appendRoute(route, to: handler)
    }
    await server.appendRoute("GET /live") { request in
      guard request.isOwn else { return HTTPResponse(statusCode: .forbidden) }
      let style = Session.MapStyle(rawValue: request.query["map"] ?? "") ?? .clusters
      let page = Page(world: world, style: style)
      return try await WebSocketHTTPHandler.webSocket(page).handleRequest(request)
    }
  }

  func run() async throws { try await server.run() }

  func stop() async { await server.stop() }

  /// Returns the page's address when the server listens. Throws if it does not listen within two
  /// seconds.
  func address() async throws -> String { try await server.localAddress() }
}

/// The connection of a page.
private struct Page: WSMessageHandler {
  let world: World
  let style: Session.MapStyle

  func makeMessages(for client: AsyncStream<WSMessage>) async throws -> AsyncStream<WSMessage> {
    let (events, outbox) = AsyncStream.makeStream(of: Event.self)
    let (requests, inbox) = AsyncStream.makeStream(of: Request.self)
    Task {
      for await message in client {
        do {
          if let request = try Request(message) { inbox.yield(request) }
        } catch {
          outbox.yield(.problem(message: "not a request: \(error)"))
        }
      }
      inbox.finish()
    }
    Task { @MainActor in
      await Session(world, style) { outbox.yield($0) }.run(requests)
      outbox.finish()
    }
    return events.messages
  }
}

extension Request {
  fileprivate init?(_ message: WSMessage) throws {
    guard case .text(let text) = message else { return nil }
    self = try JSONDecoder().decode(Request.self, from: Data(text.utf8))
  }
}

extension AsyncStream<Event> {
  /// The events as encoded messages. A task that is not on the main actor encodes them one by one.
  fileprivate var messages: AsyncStream<WSMessage> {
    let (messages, outbox) = AsyncStream<WSMessage>.makeStream()
    Task {
      let encoder = JSONEncoder()
      for await event in self {
        // Encoding fails only for numbers that JSON does not have. No event has such a number.
        guard let json = try? encoder.encode(event) else { continue }
        outbox.yield(.text(String(decoding: json, as: UTF8.self)))
      }
      outbox.finish()
    }
    return messages
  }
}

extension Bundle {
  /// Returns the paths of the files in a folder and in its subfolders.
  fileprivate func files(in folder: String) throws -> [String] {
    guard let root = resourceURL?.appendingPathComponent(folder) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: root.path).filter {
      !root.appendingPathComponent($0).hasDirectoryPath
    }
  }
}
