internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A response that is no success: its status is not 200 to 299.
public struct HTTPStatusError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The response's status, such as 404.
  public let status: Int
  /// How long the server says that one should wait before asking again; nil if it does not say.
  public let retryAfter: Duration?

  init(_ response: HTTPURLResponse) {
    status = response.statusCode
    let text = response.value(forHTTPHeaderField: "Retry-After")
    retryAfter = text.flatMap(Duration.init(retryAfter:))
  }

  public var description: String { "the server answered with status \(status)" }
}

extension Duration {
  /// The value of a `Retry-After` header: seconds, or a date (RFC 9110, 10.2.3).
  fileprivate init?(retryAfter text: String) {
    if let seconds = Int32(text) {
      self = .seconds(max(0, seconds))
      return
    }
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
    guard let date = format.date(from: text) else { return nil }
    self = .seconds(max(0, date.timeIntervalSinceNow))
  }
}

/// The body of a response, read while it arrives.
///
/// URLSession on Linux cannot be held back: `suspend` and `resume` begin a request again. So what
/// arrives goes to a file without a name, and memory holds one piece of it.
final class ResponseBody: Sendable {
  private let session: URLSession
  private let task: URLSessionTask
  private let spool: Spool
  private let offset = Lock(0)

  /// Sends the request.
  ///
  /// - Parameter onResponse: called before the first byte is read, whatever the status.
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
    let start = offset.withLock(\.self)
    let piece = try await withTaskCancellationHandler {
      try await spool.read(from: start, atMost: ChunkReader.size)
    } onCancel: { [spool] in
      spool.end(CancellationError())
    }
    offset.withLock { $0 = start + piece.count }
    return piece.isEmpty ? nil : piece
  }
}

extension HTTPURLResponse {
  var isSuccess: Bool { (200...299).contains(statusCode) }
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
      onResponse?(response)
      guard response.isSuccess else {
        spool.end(HTTPStatusError(response))
        return completionHandler(.cancel)
      }
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
