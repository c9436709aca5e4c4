internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A response that is no success: its status is not 200 to 299.
public struct HTTPStatusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The response's status, such as 404.
  public let status: Int

  public var description: String { "the server answered with status \(status)" }
}

/// The body of a response, read while it arrives.
///
/// URLSession on Linux cannot be held back: `suspend` and `resume` begin a request again. So what
/// arrives goes to a file without a name, and memory holds one piece of it.
final class ResponseBody {
  private let session: URLSession
  private let task: URLSessionTask
  private let spool: Spool
  private var offset = 0

  /// Sends the request.
  init(
    _ request: URLRequest, _ configuration: URLSessionConfiguration,
    _ onResponse: (@Sendable (HTTPURLResponse) -> Void)?
  ) throws {
    spool = try Spool()
    session = URLSession(
      configuration: configuration, delegate: ResponseDelegate(spool, onResponse),
      delegateQueue: nil)
    task = session.dataTask(with: request)
    task.resume()
  }

  deinit { session.invalidateAndCancel() }

  /// The next piece; nil at the end.
  nonisolated(nonsending) func next() async throws -> Data? {
    let piece = try await withTaskCancellationHandler {
      try await spool.read(from: offset, atMost: ChunkReader.size)
    } onCancel: { [spool] in
      spool.end(CancellationError())
    }
    offset += piece.count
    return piece.isEmpty ? nil : piece
  }
}

/// Puts what URLSession says into a spool.
private final class ResponseDelegate: NSObject, URLSessionDataDelegate {
  private let spool: Spool
  private let onResponse: (@Sendable (HTTPURLResponse) -> Void)?

  init(_ spool: Spool, _ onResponse: (@Sendable (HTTPURLResponse) -> Void)?) {
    self.spool = spool
    self.onResponse = onResponse
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse {
      guard (200...299).contains(response.statusCode) else {
        spool.end(HTTPStatusError(status: response.statusCode))
        return completionHandler(.cancel)
      }
      onResponse?(response)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    do { try spool.write(data) } catch {
      spool.end(error)
      dataTask.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    spool.end(error)
  }
}
