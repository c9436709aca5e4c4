internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The body of a response, read while it arrives.
///
/// URLSession on Linux cannot be paused: `suspend` and `resume` begin a request again. So arriving
/// bytes go to a file without a name, and memory holds one piece of them.
final class ResponseBody: Sendable {
  private let delegate: ResponseDelegate
  private let session: URLSession
  private let task: URLSessionTask
  private let spool: Spool
  private let offset = Lock(0)

  /// Sends the request.
  ///
  /// - Parameters:
  ///   - credentials: the header fields that no redirection to another origin gets.
  ///   - onResponse: called before the first byte is read, whatever the status.
  init(
    _ request: URLRequest, _ configuration: URLSessionConfiguration, _ credentials: Credentials,
    _ onResponse: (@Sendable (HTTPURLResponse) -> Void)?
  ) throws {
    spool = try Spool()
    let (request, configuration) = credentials.gathered(request, configuration)
    delegate = ResponseDelegate(spool, credentials, onResponse)
    session = URLSession(
      configuration: configuration.cancellable, delegate: delegate, delegateQueue: nil)
    task = session.dataTask(with: request)
    task.resume()
    session.finishTasksAndInvalidate()
  }

  deinit {
    session.delegateQueue.addOperation { [task, delegate] in delegate.cancel(task) }
  }

  /// Returns the next piece; nil at the end.
  nonisolated(nonsending) func next() async throws -> Data? {
    let start = offset.withLock(\.self)
    let piece = try await withCancellationHandling {
      try await spool.read(from: start, atMost: ChunkReader.size)
    } onCancel: { [spool] in
      spool.end(CancellationError())
    }
    offset.withLock { $0 = start + piece.count }
    return piece.isEmpty ? nil : piece
  }
}

extension HTTPURLResponse {
  /// Whether the status is that of a whole answer.
  var isWhole: Bool { AnswerCompleteness(status: statusCode) == .whole }
}

/// The head of a source's response, once it has arrived.
final class ResponseHead: Sendable {
  private let response = Lock<HTTPURLResponse?>(nil)

  var value: HTTPURLResponse? { response.withLock(\.self) }

  func note(_ head: HTTPURLResponse) { response.withLock { $0 = head } }

  /// Whether the response names a page after it, or has a `Link` field that cannot be read.
  var namesNextPage: Bool {
    guard let value, let text = value.value(forHTTPHeaderField: "Link") else { return false }
    do throws(PagingError) {
      return try LinkHeader.target(of: "next", in: text, of: value.url) != nil
    } catch {
      return true
    }
  }

  /// Whether a body of `count` bytes is shorter than the response says.
  ///
  /// A transport that decodes a content encoding leaves the length of the encoded body.
  func isCut(at count: Int) -> Bool {
    guard let response = value,
      let length = response.value(forHTTPHeaderField: "Content-Length").flatMap(Int.init),
      response.value(forHTTPHeaderField: "Transfer-Encoding") == nil,
      ["", "identity"].contains(
        response.value(forHTTPHeaderField: "Content-Encoding")?.lowercased() ?? "")
    else { return false }
    return count < length
  }

  func completeness(ofLines isLines: Bool) -> AnswerCompleteness {
    let head = value
    return AnswerCompleteness(ofLines: isLines) { head?.value(forHTTPHeaderField: $0) }
  }
}

extension URLSessionConfiguration {
  /// The same configuration, but without a cache on Linux, so that tasks can always be cancelled.
  ///
  /// URLSession on Linux begins a task when its cache has answered. It traps if a cancellation
  /// arrives meanwhile and the task ends before URLSession handles the cancellation.
  fileprivate var cancellable: URLSessionConfiguration {
    #if canImport(FoundationNetworking)
      guard urlCache != nil, let copy = copy() as? URLSessionConfiguration else { return self }
      copy.urlCache = nil
      return copy
    #else
      return self
    #endif
  }
}

/// Writes a response of URLSession to a spool.
///
/// URLSession on Linux traps if a task is cancelled while it ends, or before the delegate has
/// answered a question (swift-corelibs-foundation, issue 3292). So all calls run on the session's
/// delegate queue, one after the other, including cancellation.
private final class ResponseDelegate: NSObject, URLSessionDataDelegate {
  private let spool: Spool
  private let credentials: Credentials
  private let onResponse: (@Sendable (HTTPURLResponse) -> Void)?
  /// Whether the task has ended or was cancelled.
  private let isOver = Lock(false)
  private let hasResponse = Lock(false)

  init(
    _ spool: Spool, _ credentials: Credentials,
    _ onResponse: (@Sendable (HTTPURLResponse) -> Void)?
  ) {
    self.spool = spool
    self.credentials = credentials
    self.onResponse = onResponse
  }

  func cancel(_ task: URLSessionTask) {
    if end() { task.cancel() }
  }

  /// Marks the task as over; returns whether this call was the first.
  private func end() -> Bool {
    isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
  }

  /// Answers a question of URLSession about a task.
  ///
  /// On Linux a cancelled task does not wait for the answer, and traps if it gets the answer. On
  /// other platforms it waits for the answer.
  private func reply<Answer>(_ answer: Answer, or refusal: Answer, to handler: (Answer) -> Void) {
    let isOver = isOver.withLock(\.self)
    #if canImport(FoundationNetworking)
      if !isOver { handler(answer) }
    #else
      handler(isOver ? refusal : answer)
    #endif
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    reply(credentials.withheld(from: request), or: nil, to: completionHandler)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else {
      return reply(.allow, or: .cancel, to: completionHandler)
    }
    note(response)
    if response.isWhole {
      reply(.allow, or: .cancel, to: completionHandler)
    } else {
      reply(.cancel, or: .cancel, to: completionHandler)
      // URLSession on Linux ignores the answer.
      cancel(dataTask)
    }
  }

  private func note(_ response: HTTPURLResponse) {
    hasResponse.withLock { $0 = true }
    onResponse?(response)
    if !response.isWhole { spool.end(HTTPStatusError(response)) }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if isOver.withLock(\.self) { return }
    do { try spool.write(data) } catch {
      spool.end(error)
      cancel(dataTask)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    _ = end()
    // URLSession on Linux does not report the response of a redirection without a target.
    let hasResponse = hasResponse.withLock(\.self)
    if error == nil, !hasResponse, let response = task.response as? HTTPURLResponse {
      note(response)
    }
    spool.end(error)
  }
}
