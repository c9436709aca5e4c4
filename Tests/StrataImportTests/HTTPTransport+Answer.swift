import Foundation
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPTransport {
  /// Returns a transport without a connection: a closure answers each request at once.
  ///
  /// The transport uses the status, the headers and the body of an answer. An error of the closure
  /// is the error of the transport.
  static func answering(
    _ answer: @escaping @Sendable (URLRequest) throws -> TestServer.Answer
  ) -> HTTPTransport {
    HTTPTransport { request in
      let answer = try answer(request)
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: answer.status, httpVersion: nil, headerFields: answer.headers)
      else { throw URLError(.badURL) }
      return (
        response,
        AsyncStream<Data> { body in
          if !answer.body.isEmpty { body.yield(Data(answer.body.utf8)) }
          body.finish()
        }
      )
    }
  }
}
