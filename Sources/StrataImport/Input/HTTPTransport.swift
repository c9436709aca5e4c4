internal import Strata

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// How requests are sent and their answers read.
///
/// ``urlSession(_:)`` is the usual one. On Linux, URLSession ends the process if a server closes the
/// connection within the header of a response (swift-corelibs-foundation 6.3). An app that must
/// survive that gives a transport of its own, made of a client such as AsyncHTTPClient:
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
    /// Nil for what is no HTTP, such as a file.
    let head: HTTPURLResponse?
    let body: @Sendable () -> ChunkIterator
  }

  let send: @Sendable (URLRequest) async throws -> Answer

  init(answering send: @escaping @Sendable (URLRequest) async throws -> Answer) {
    self.send = send
  }

  /// A transport that calls a closure for each request.
  ///
  /// The transport follows redirections and undoes content encodings, as URLSession does, and leaves
  /// the header fields as they came: ``Feed`` reads `Content-Length`, `Transfer-Encoding` and
  /// `Content-Encoding` to know whether an answer is whole. Its body must throw if it ends early.
  ///
  /// - Parameter send: sends a request; returns the head of the response, whatever its status, and
  ///   the pieces of its body. Throw `URLError` for failures that a ``RetryPolicy`` shall see.
  public init<Body: AsyncSequence & Sendable>(
    _ send: @escaping @Sendable (URLRequest) async throws -> (response: HTTPURLResponse, body: Body)
  ) where Body.Element == Data {
    self.init(answering: { request in
      let (response, body) = try await send(request)
      return Answer(head: response) { ChunkIterator(body) }
    })
  }

  /// Sends each request by a session of its own.
  ///
  /// The body goes through a temporary file without a name while it arrives, so memory stays bounded
  /// and the server's connection does not wait for the store. On Linux no `URLCache` is asked:
  /// there, a request that its cache may answer cannot be cancelled safely.
  ///
  /// - Parameter configuration: of the sessions.
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
      // The first piece comes behind the head.
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
