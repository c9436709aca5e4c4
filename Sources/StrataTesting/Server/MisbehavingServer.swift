public import Foundation
internal import Strata

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An HTTP server on a free port of this machine that answers as badly as a test wants.
///
/// With the server an app tests its own refresh: the effect of a truncated answer, a lost
/// connection or a server in trouble on the user's rows.
///
/// ```swift
/// let server = try MisbehavingServer { request in
///   ServerAnswer(body: "[]", fault: request.number == 1 ? .cutWithLength : nil)
/// }
/// let feed = Feed("songs", Song.self, from: URLRequest(url: server.url), absent: .delete)
/// try await Refresher(stack).refresh(feed)
/// ```
///
/// Each connection gets one answer and is then closed. When the test releases the server, the
/// server accepts no more connections.
public final class MisbehavingServer: Sendable {
  /// A request of a client.
  public struct Request: Sendable {
    /// The method, such as `GET`.
    public let method: String
    /// The path with the query, such as `/songs?page=2`.
    public let path: String
    /// The header fields; the names are in lower case.
    public let headers: [String: String]
    /// The body; empty if there is none.
    public let body: Data
    /// The request's position among all requests, from 1.
    public let number: Int
  }

  private struct State: Sendable {
    var requests: [Request] = []
    var endedAnswers = 0
    var answer: @Sendable (Request) -> ServerAnswer
  }

  private let listener: ServerSocket
  private let state: Lock<State>

  /// Starts a server.
  ///
  /// - Parameter answer: returns the answer to a request; called on the thread of its connection.
  /// - Throws: `POSIXError` if this machine has no free port.
  public init(_ answer: @escaping @Sendable (Request) -> ServerAnswer) throws {
    let state = Lock(State(answer: answer))
    self.state = state
    listener = try ServerSocket { connection in Self.serve(connection, state) }
  }

  /// The server's address, such as `http://127.0.0.1:50123/`.
  public var url: URL {
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)/") else {
      fatalError("a port makes a URL")
    }
    return url
  }

  /// The requests until now, in order.
  public var requests: [Request] { state.withLock { $0.requests } }

  /// The number of endless answers that a client has ended.
  package var endedAnswers: Int { state.withLock { $0.endedAnswers } }

  /// Replaces the closure that answers later requests.
  public func answer(_ answer: @escaping @Sendable (Request) -> ServerAnswer) {
    state.withLock { $0.answer = answer }
  }

  private static func serve(_ connection: ServerConnection, _ state: Lock<State>) {
    guard let (head, body) = connection.readRequest() else { return }
    let lines = head.split(separator: "\r\n", omittingEmptySubsequences: true)
    let words = lines.first?.split(separator: " ").map(String.init) ?? []
    guard words.count > 1 else { return }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    let (request, answer) = state.withLock { state in
      let request = Request(
        method: words[0], path: words[1], headers: headers, body: body,
        number: state.requests.count + 1)
      state.requests.append(request)
      return (request, state.answer)
    }
    let reply = answer(request)
    reply.send(to: connection, answering: request)
    if reply.fault == .endless { state.withLock { $0.endedAnswers += 1 } }
  }
}
