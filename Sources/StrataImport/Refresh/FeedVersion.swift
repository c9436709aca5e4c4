internal import Foundation
internal import Strata

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// What a server said of the pages of a feed when all of them were imported.
///
/// Text in the store, where it is compared as it stands.
struct FeedVersion: Codable, Equatable {
  struct Page: Codable, Equatable {
    let url: URL
    var etag: String?
    var lastModified: String?

    init?(_ request: URLRequest, _ response: HTTPURLResponse) {
      guard let url = request.url else { return nil }
      self.url = url
      etag = response.value(forHTTPHeaderField: "ETag")
      lastModified = response.value(forHTTPHeaderField: "Last-Modified")
    }
  }

  /// What would make the same pages other rows: the schema, the mapping, where the records are and
  /// what becomes of absent rows.
  let meaning: String
  var pages: [Page] = []

  /// - Throws: ``StoreError`` with code `invalidQuery`.
  init(_ feed: Feed, in stack: Stack) throws(StoreError) {
    meaning = "\(stack.schemaFingerprint) \(try feed.absent.text(stack)) \(feed.mapping)"
  }

  /// Nil if the text says nothing, or of pages that meant something else.
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

extension URLRequest {
  /// The same request, to be answered with "not modified" if a page is as it was.
  ///
  /// Both validators are sent: the server compares the stronger one that it knows (RFC 9110,
  /// 13.2.2).
  func conditional(on page: FeedVersion.Page?) -> URLRequest {
    var copy = self
    // URLSession's own cache would answer in the server's place.
    copy.cachePolicy = .reloadIgnoringLocalCacheData
    // Validators that the app has set are of something else that it may have.
    copy.setValue(page?.etag, forHTTPHeaderField: "If-None-Match")
    copy.setValue(page?.lastModified, forHTTPHeaderField: "If-Modified-Since")
    return copy
  }

  /// Whether the answer may be "not modified".
  var isConditional: Bool {
    value(forHTTPHeaderField: "If-None-Match") != nil
      || value(forHTTPHeaderField: "If-Modified-Since") != nil
  }
}
