internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The validators of a feed's pages, as of the import of all of them.
///
/// The store keeps a version as text, and compares the text as it stands.
struct FeedVersion: Codable, Equatable {
  struct Page: Codable, Equatable {
    let url: URL
    /// The hash of the request's ``PageIdentity``, which is more than its URL.
    let request: Int64
    var etag: String?
    var lastModified: String?

    init?(_ request: URLRequest, _ response: HTTPURLResponse, _ credentials: Credentials) {
      guard let url = request.url else { return nil }
      self.url = url
      self.request = PageIdentity(request, credentials).hash
      guard request.mayBeConditional else { return }
      etag = response.value(forHTTPHeaderField: "ETag")
      lastModified = response.value(forHTTPHeaderField: "Last-Modified")
      if response.mayChangeUnnoticed { lastModified = nil }
    }
  }

  /// The settings that decide which rows the pages become, as text.
  ///
  /// They are the schema, the mapping, the location of the records and the rule for absent rows.
  let meaning: String
  var pages: [Page] = []

  /// - Throws: ``StoreError`` with code `invalidQuery`.
  init(_ feed: Feed, in stack: Stack) throws(StoreError) {
    meaning = "\(stack.schemaFingerprint) \(try feed.absent.text(stack)) \(feed.mapping)"
  }

  /// Reads a version; nil if the text is invalid or has another meaning.
  init?(_ text: String, meaning: String) {
    guard let version = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
      version.meaning == meaning
    else { return nil }
    self = version
  }

  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else {
      fatalError("strings and URLs can be encoded")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

extension HTTPURLResponse {
  /// Whether the response was sent within a second of its modification.
  ///
  /// A later change within that second has the same `Last-Modified` (RFC 9110, 8.8.2.2).
  fileprivate var mayChangeUnnoticed: Bool {
    func date(_ field: String) -> Date? {
      value(forHTTPHeaderField: field).flatMap { HTTPDate.date($0) }
    }
    guard let sent = date("Date"), let modified = date("Last-Modified") else { return false }
    return sent.timeIntervalSince(modified) < 1
  }
}

extension FeedVersion.Page {
  /// Whether a request asks for the page.
  func isAsked(by request: URLRequest, _ credentials: Credentials) -> Bool {
    url == request.url && self.request == PageIdentity(request, credentials).hash
  }
}

extension URLRequest {
  /// Returns the request with a page's validators, so that a server can answer "not modified".
  ///
  /// The request has both validators. The server compares the stronger validator that it knows (RFC
  /// 9110, 13.2.2). A request with another method than GET or HEAD never has validators.
  func conditional(on page: FeedVersion.Page?) -> URLRequest {
    let page = mayBeConditional ? page : nil
    var copy = self
    // URLSession's own cache would answer instead of the server.
    copy.cachePolicy = .reloadIgnoringLocalCacheData
    // Validators that the app has set describe another copy of the feed.
    copy.setValue(page?.etag, forHTTPHeaderField: "If-None-Match")
    copy.setValue(page?.lastModified, forHTTPHeaderField: "If-Modified-Since")
    return copy
  }

  /// Whether a server may answer "not modified".
  ///
  /// With any other method, a validator that matches makes the request fail with status 412 (RFC
  /// 9110, 13.1.2).
  var mayBeConditional: Bool { ["GET", "HEAD"].contains(httpMethod ?? "GET") }

  /// Whether the answer may be "not modified".
  var isConditional: Bool {
    value(forHTTPHeaderField: "If-None-Match") != nil
      || value(forHTTPHeaderField: "If-Modified-Since") != nil
  }
}
