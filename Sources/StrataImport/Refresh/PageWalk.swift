internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A walk over the pages of a feed, which requests each page when the page before was read.
///
/// The walk skips pages that are unchanged since they were imported. If absent rows are deleted,
/// the feed must be read whole, so the walk skips all pages or none. If a page has changed, it
/// begins again and requests every page.
final class PageWalk: Sendable {
  private struct State: Sendable {
    var version: FeedVersion
    /// The next request; nil after the last page.
    var request: URLRequest?
    var asked: Set<PageIdentity> = []
    /// The pages that were read.
    var read: [(request: URLRequest, page: FeedVersion.Page)] = []
    /// Whether unchanged pages may be skipped.
    var isConditional = true
    /// The page that is being read, and the number of records before it.
    var open: (request: URLRequest, response: HTTPURLResponse, before: Int)?

    mutating func restart(_ feed: Feed) {
      version.pages = []
      request = feed.request
      asked = []
      read = []
      isConditional = false
    }
  }

  private enum Answer {
    case notModified(HTTPURLResponse)
    case body(JSONSource, HTTPURLResponse?)
  }

  private let feed: Feed
  private let transport: HTTPTransport
  private let credentials: Credentials
  private let patience: Patience
  private let known: [FeedVersion.Page]
  private let state: Lock<State>

  /// - Parameter known: the validators of the pages that the store has.
  init(
    _ feed: Feed, _ transport: HTTPTransport, _ patience: Patience,
    _ version: FeedVersion, known: [FeedVersion.Page]
  ) {
    self.feed = feed
    self.transport = transport
    credentials = transport.credentials(of: feed.request)
    self.patience = patience
    self.known = known
    state = Lock(State(version: version, request: feed.request))
  }

  /// The validators of the pages so far.
  var version: FeedVersion { state.withLock { $0.version } }

  /// Returns the next page that has changed; nil after the last page.
  ///
  /// - Parameter result: the result of the pages before.
  nonisolated(nonsending) func next(
    _ result: ImportResult
  ) async throws(ImportError) -> JSONSource? {
    try finishPage(result)
    while let (request, page) = try nextRequest() {
      switch try await send(question(request, page)) {
      case .notModified(let response):
        try leaveOut(page, response, request)
      case .body(let source, let response):
        if note(request, response, records: result.records) { return source }
      }
    }
    return nil
  }

  /// Checks that the pages are unchanged, after all of them were read.
  ///
  /// The import misses a row that moves to a page that was read already. Only pages with an `ETag`
  /// can be checked. A single page needs no check, because all of it is of one version.
  nonisolated(nonsending) func steadiness() async throws(ImportError) -> AnswerCompleteness {
    let read = state.withLock { $0.read }
    guard read.count > 1 else { return .whole }
    // Unchanged pages are left out, so nothing can be compared.
    if !feed.isReadWhole { return feed.hasSteadyPages ? .trustedPages : .unversionedPages }
    var result = AnswerCompleteness.steadyPages
    for (request, page) in read {
      // `Last-Modified` has a precision of one second, so it hides changes within that second.
      if let etag = page.etag {
        let answer = try await send(question(request, page))
        if case .body(_, let head) = answer,
          head?.value(forHTTPHeaderField: "ETag") != etag
        {
          return .changedPages
        }
      } else {
        result = feed.hasSteadyPages ? .trustedPages : .unversionedPages
      }
    }
    return result
  }

  /// Returns the request for a page, conditional on the page's validators.
  private func question(_ request: URLRequest, _ page: FeedVersion.Page?) -> URLRequest {
    var question = request.conditional(on: page)
    // The transport does not notice that compressed lines are cut.
    if feed.isReadWhole && feed.isLines {
      question.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }
    return question
  }

  /// Returns the next request, and the page that the store has if it may be skipped.
  private func nextRequest() throws(ImportError) -> (URLRequest, FeedVersion.Page?)? {
    let (request, isConditional, count) = state.withLock {
      ($0.request, $0.isConditional, $0.version.pages.count)
    }
    guard let request else { return nil }
    let identity = PageIdentity(request, credentials)
    if !state.withLock({ $0.asked.insert(identity).inserted }) {
      throw .source(PagingError.repeatedPage(request.url)).of(feed.request.url)
    }
    let page = isConditional ? known.dropFirst(count).first : nil
    guard let page, page.isAsked(by: request, credentials), isFollowed(request, by: count + 1)
    else { return (request, nil) }
    return (request, page)
  }

  /// Whether the request for the page after an unchanged page is known.
  ///
  /// The store has the page's URL. Header fields and a body come from the page before, whose answer
  /// must then be read.
  private func isFollowed(_ request: URLRequest, by number: Int) -> Bool {
    guard let next = known.dropFirst(number).first else { return true }
    return next.isAsked(by: credentials.withheld(from: request.with(next.url)), credentials)
  }

  /// Finds the request after a page that was read.
  private func finishPage(_ result: ImportResult) throws(ImportError) {
    let page: FeedPage? = state.withLock { state in
      defer { state.open = nil }
      return state.open.map { open in
        FeedPage(
          request: open.request, response: open.response, number: state.version.pages.count,
          records: result.records - open.before, members: result.members)
      }
    }
    guard let page else { return }
    try follow { () throws(PagingError) in try feed.paging.next(page) }
  }

  /// Finds the request after an unchanged page, by its answer or by the pages that the store has.
  private func leaveOut(
    _ page: FeedVersion.Page?, _ response: HTTPURLResponse, _ request: URLRequest
  ) throws(ImportError) {
    let following = state.withLock { state in
      if let page { state.version.pages.append(page) }
      return known.dropFirst(state.version.pages.count).first?.url
    }
    let asked = FeedPage(
      request: request, response: response, number: version.pages.count, records: 0)
    try follow { () throws(PagingError) in
      try feed.paging.unchanged(asked) ?? following.map(request.with)
    }
  }

  /// Notes the request for the next page.
  ///
  /// A page of another origin and the pages after it are requested without credentials. A URL of
  /// another kind, such as that of a file, is none that a server may name.
  private func follow(_ rule: () throws(PagingError) -> URLRequest?) throws(ImportError) {
    do throws(PagingError) {
      let next = try rule()
      if let next, !isFollowed(next.url) {
        throw .unreadableLink(next.url?.absoluteString ?? "a request without a URL")
      }
      let request = next.map(credentials.withheld)
      state.withLock { $0.request = request }
    } catch {
      throw .source(error).of(feed.request.url)
    }
  }

  private func isFollowed(_ url: URL?) -> Bool {
    guard let scheme = url?.scheme?.lowercased() else { return false }
    return ["http", "https", feed.request.url?.scheme?.lowercased()].contains(scheme)
  }

  /// Notes a page that is to be read; returns false if the walk begins again instead.
  private func note(
    _ request: URLRequest, _ response: HTTPURLResponse?, records: Int
  ) -> Bool {
    state.withLock { state in
      if feed.isReadWhole && state.isConditional {
        guard state.version.pages.isEmpty else {
          state.restart(feed)
          return false
        }
        state.isConditional = false
      }
      state.request = nil
      guard let response else { return true }
      if let page = FeedVersion.Page(request, response, credentials) {
        state.version.pages.append(page)
        state.read.append((request, page))
      }
      state.open = (request, response, records)
      return true
    }
  }

  // MARK: Requests

  /// Sends a request until it is answered or no retry is left.
  ///
  /// If a server refuses the validators by status 412, the request is sent without them.
  private nonisolated(nonsending) func send(
    _ request: URLRequest
  ) async throws(ImportError) -> Answer {
    var request = request
    while true {
      do throws(ImportError) { return try await sendOnce(request) } catch {
        if request.isConditional, (error.underlying as? HTTPStatusError)?.status == 412 {
          request = request.conditional(on: nil)
        } else {
          try await patience.wait(after: error)
        }
      }
    }
  }

  private nonisolated(nonsending) func sendOnce(
    _ request: URLRequest
  ) async throws(ImportError) -> Answer {
    do {
      let answer = try await transport.send(request, credentials)
      guard let head = answer.head else { return .body(.body(answer), nil) }
      switch AnswerCompleteness(
        status: head.statusCode, expectsNoContent: feed.expectsNoContent)
      {
      case .whole: return .body(.body(answer), head)
      case .expectedNoContent: return .body(.expectedNoContent, head)
      default:
        // "Not modified" has no meaning for a request without validators.
        if head.statusCode == 304 && request.isConditional { return .notModified(head) }
        throw HTTPStatusError(head)
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .source(error).of(request.url)
    }
  }
}
