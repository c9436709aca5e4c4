#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The rule by which the page after a page of a ``Feed`` is found.
///
/// ```swift
/// songs.paging = .linkHeader
/// ```
public struct Paging: Sendable {
  typealias Rule = @Sendable (FeedPage) throws(PagingError) -> URLRequest?

  let next: Rule
  /// Finds the page after an unchanged page by its answer; nil for the page that followed before.
  let unchanged: Rule
  /// The members of a document that the rule reads.
  var members: [String] = []
  /// Whether the feed may have several pages.
  var isPaged = true

  /// A single page.
  public static let one = Self(next: nowhere, unchanged: nowhere, isPaged: false)

  /// The link with the relation `next` in the response's `Link` header (RFC 8288).
  public static let linkHeader = Self(next: link, unchanged: link)

  /// The link `next` of a JSON:API document.
  ///
  /// The link is in the member `links`, as a string or an object with a member `href`. Only feeds
  /// of a ``JSONDocument`` have this link. After an unchanged page comes the same page as before.
  public static let jsonAPI = Self(
    next: documentLink, unchanged: nowhere, members: ["links"])

  /// Finds the next page by a closure, which returns nil after the last page.
  ///
  /// ```swift
  /// songs.paging = .next { page in
  ///   page.records < 100 ? nil : page.request(with: ["page": "\(page.number + 1)"])
  /// }
  /// ```
  ///
  /// A page is its request: method, URL, header fields without credentials, and body. So the pages may
  /// have one URL, as with GraphQL.
  ///
  /// - Parameter rule: returns the request for the page after a page. A rule that cannot read the
  ///   page's cursor must throw ``PagingError/unreadableLink(_:)``: nil means that the feed ends, and
  ///   the rows of the other pages may then be deleted.
  public static func next(
    _ rule: @escaping @Sendable (FeedPage) throws(PagingError) -> URLRequest?
  ) -> Self {
    Self(next: rule, unchanged: nowhere)
  }

  @Sendable private static func nowhere(_ page: FeedPage) -> URLRequest? { nil }

  // A link that cannot be read must not make a page look like the last page.
  @Sendable private static func documentLink(
    _ page: FeedPage
  ) throws(PagingError) -> URLRequest? {
    let target: String?
    do { target = try page.members.link("next") } catch {
      throw .unreadableLink(page.members["links"] ?? "")
    }
    guard let target else { return nil }
    guard let request = page.request(at: target) else { throw .unreadableLink(target) }
    return request
  }

  @Sendable private static func link(_ page: FeedPage) throws(PagingError) -> URLRequest? {
    guard let text = page.response.value(forHTTPHeaderField: "Link") else { return nil }
    let url = page.response.url ?? page.request.url
    guard let target = try LinkHeader.target(of: "next", in: text, of: url) else { return nil }
    guard let request = page.request(at: target) else { throw .unreadableLink(target) }
    return request
  }
}

/// A page of a ``Feed`` that was read.
///
/// ```swift
/// songs.paging = .next { page in
///   page.records == 0 ? nil : page.request(with: ["page": "\(page.number + 1)"])
/// }
/// ```
public struct FeedPage: Sendable {
  /// The request for the page.
  public let request: URLRequest
  /// The response without its body.
  public let response: HTTPURLResponse
  /// The position of the page among the feed's pages, from 1.
  public let number: Int
  /// The number of records, including refused records; 0 for an unchanged page.
  public let records: Int
  /// The values that the page's document has beside its records.
  public var members = JSONMembers()

  /// Returns the request with another address, relative to this page's; nil if `target` is none.
  func request(at target: String) -> URLRequest? {
    let url = URL(string: target, relativeTo: response.url ?? request.url)
    return url.map { request.with($0.absoluteURL) }
  }

  /// Returns the page's request with the given values of query parameters.
  ///
  /// The server reads each value as it is given, whatever characters it has. So do not encode it.
  /// The other parameters of the URL stay byte for byte.
  public func request(with parameters: [String: String]) -> URLRequest {
    guard let url = request.url,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return request }
    let query = components.percentEncodedQuery ?? ""
    var items = query.split(separator: "&", omittingEmptySubsequences: query.isEmpty)
      .map(String.init).filter { parameters[Self.name(of: $0)] == nil }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      items.append("\(Self.encoded(name))=\(Self.encoded(value))")
    }
    components.percentEncodedQuery = items.isEmpty ? nil : items.joined(separator: "&")
    guard let url = components.url else { return request }
    return request.with(url)
  }

  /// Returns the name of a parameter, as a server reads it: `+` is a space.
  private static func name(of item: String) -> String {
    let name = String(item.prefix { $0 != "=" }).replacing("+", with: " ")
    return name.removingPercentEncoding ?? name
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// Encodes all characters but the unreserved (RFC 3986, 2.3).
  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }
}

extension URLRequest {
  func with(_ url: URL) -> URLRequest {
    var copy = self
    copy.url = url
    return copy
  }
}
