internal import Strata

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// A client that sends requests and reads their responses.
///
/// The usual transport is ``urlSession(_:)``. On Linux, URLSession ends the process if a server
/// closes the connection within the header of a response (swift-corelibs-foundation 6.3). An app
/// that must survive this uses a transport of its own, on top of a client such as AsyncHTTPClient:
///
/// ```swift
/// let transport = HTTPTransport { request in
///   let (response, chunks) = try await client.send(request)
///   return (response, chunks)
/// }
/// let refresher = Refresher(stack, transport: transport)
/// ```
///
/// A link to a next page and a redirection may lead to another server. ``credentialFields`` are never
/// sent there.
public struct HTTPTransport: Sendable {
  /// A response whose body has not been read.
  struct Answer: Sendable {
    /// The head of the response; nil for a protocol other than HTTP, such as a file.
    let head: HTTPURLResponse?
    let body: @Sendable () -> ChunkIterator
  }

  typealias Respond = @Sendable (URLRequest, Credentials) async throws -> Answer

  /// The names of the header fields that prove the user's identity; their case does not count.
  ///
  /// A request has these fields only if it goes to the origin (scheme, host and port) of its feed, or
  /// of the source's request. A link to a page of another origin and a redirection to it are
  /// followed without them. Insert the field from which your server reads a token:
  ///
  /// ```swift
  /// var transport = HTTPTransport.urlSession()
  /// transport.credentialFields.insert("X-API-Key")
  /// ```
  ///
  /// A field whose name you remove is sent wherever a server's links lead.
  public var credentialFields: Set<String> = ["Authorization", "Cookie", "Proxy-Authorization"]
  private let respond: Respond

  private init(answering respond: @escaping Respond) { self.respond = respond }

  /// Returns the credentials that only the origin of a request may get.
  func credentials(of request: URLRequest) -> Credentials {
    Credentials(credentialFields, of: request.url)
  }

  /// Sends a request, without credentials of another origin.
  ///
  /// - Parameter credentials: the credentials of the feed's origin; nil for those of the request's
  ///   own origin.
  /// - Throws: the transport's error; `URLError` with code `badURL` for a request without a URL,
  ///   which ends the process on Linux when it is changed or sent.
  func send(_ request: URLRequest, _ credentials: Credentials? = nil) async throws -> Answer {
    if request.url == nil { throw URLError(.badURL) }
    let credentials = credentials ?? self.credentials(of: request)
    return try await respond(credentials.withheld(from: request), credentials)
  }

  /// Creates a transport that calls a closure for each request.
  ///
  /// The closure must follow redirections and decode content encodings, as URLSession does. A
  /// redirection to another origin must not get ``credentialFields``. The closure must leave the header fields as they came: ``Feed`` reads `Content-Length`, `Transfer-Encoding` and
  /// `Content-Encoding` to decide whether an answer is whole. The body must throw if it ends early.
  ///
  /// - Parameter send: sends a request, and returns the head of the response, whatever its status,
  ///   and the pieces of its body. It throws `URLError` for failures that a ``RetryPolicy``
  ///   handles.
  public init<Body: AsyncSequence & Sendable>(
    _ send: @escaping @Sendable (URLRequest) async throws -> (response: HTTPURLResponse, body: Body)
  ) where Body.Element == Data {
    self.init(answering: { request, _ in
      let (response, body) = try await send(request)
      return Answer(head: response) { ChunkIterator(body) }
    })
  }

  /// Returns a transport that sends each request by a `URLSession` of its own.
  ///
  /// The arriving body goes to a temporary file without a name. So memory stays bounded, and the
  /// server's connection does not wait for the store. On Linux the sessions have no `URLCache`,
  /// because a request that a cache may answer cannot be cancelled safely there.
  ///
  /// ``credentialFields`` among the configuration's additional headers are sent to the origin of the
  /// feed alone, too.
  ///
  /// - Parameter configuration: the configuration of the sessions.
  public static func urlSession(_ configuration: URLSessionConfiguration = .default) -> Self {
    Self(answering: { request, credentials in
      let head = Lock<HTTPURLResponse?>(nil)
      let body = try ResponseBody(request, configuration, credentials) { response in
        head.withLock { $0 = response }
      }
      let first: Data?
      do { first = try await body.next() } catch let error as HTTPStatusError {
        return Answer(head: head.withLock(\.self)) { ChunkIterator { throw error } }
      }
      // The first piece arrives after the head.
      return Answer(head: head.withLock(\.self)) {
        var first = first
        return ChunkIterator {
          defer { first = nil }
          if let first { return first }
          return try await body.next()
        }
      }
    })
  }
}
