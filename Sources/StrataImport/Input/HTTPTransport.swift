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
public struct HTTPTransport: Sendable {
  /// A response whose body has not been read.
  struct Answer: Sendable {
    /// The head of the response; nil for a protocol other than HTTP, such as a file.
    let head: HTTPURLResponse?
    let body: @Sendable () -> ChunkIterator
  }

  let send: @Sendable (URLRequest) async throws -> Answer

  init(answering send: @escaping @Sendable (URLRequest) async throws -> Answer) {
    self.send = send
  }

  /// Creates a transport that calls a closure for each request.
  ///
  /// The closure must follow redirections and decode content encodings, as URLSession does. It must
  /// leave the header fields as they came: ``Feed`` reads `Content-Length`, `Transfer-Encoding` and
  /// `Content-Encoding` to decide whether an answer is whole. The body must throw if it ends early.
  ///
  /// - Parameter send: sends a request, and returns the head of the response, whatever its status,
  ///   and the pieces of its body. It throws `URLError` for failures that a ``RetryPolicy``
  ///   handles.
  public init<Body: AsyncSequence & Sendable>(
    _ send: @escaping @Sendable (URLRequest) async throws -> (response: HTTPURLResponse, body: Body)
  ) where Body.Element == Data {
    self.init(answering: { request in
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
  /// - Parameter configuration: the configuration of the sessions.
  public static func urlSession(_ configuration: URLSessionConfiguration = .default) -> Self {
    Self(answering: { request in
      let head = Lock<HTTPURLResponse?>(nil)
      let body = try ResponseBody(request, configuration) { response in
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
