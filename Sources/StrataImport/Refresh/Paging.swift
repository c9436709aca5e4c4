public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// How the page after a page of a ``Feed`` is found.
public struct Paging: Sendable {
  typealias Rule = @Sendable (FeedPage) throws(PagingError) -> URLRequest?

  let next: Rule
  /// Where a page leads that has not changed, as far as the answer says; nil if it leads to where
  /// it did.
  let unchanged: Rule
  /// The members of a document that the rule looks at.
  var members: [String] = []
  /// Whether there may be another page.
  var isPaged = true

  /// There is one page.
  public static let one = Self(next: nowhere, unchanged: nowhere, isPaged: false)

  /// At the link with the relation `next` of the response's `Link` header (RFC 8288).
  public static let linkHeader = Self(next: link, unchanged: link)

  /// At the link `next` of a JSON:API document: in its member `links`, a string or an object with a
  /// member `href`. For feeds of a ``JSONDocument``.
  ///
  /// A page that has not changed leads to where it did.
  public static let jsonAPI = Self(
    next: documentLink, unchanged: nowhere, members: ["links"])

  /// Wherever a closure says; nil after the last page.
  ///
  /// ```swift
  /// songs.paging = .next { page in
  ///   page.records < 100 ? nil : page.request(with: ["page": "\(page.number + 1)"])
  /// }
  /// ```
  public static func next(_ rule: @escaping @Sendable (FeedPage) -> URLRequest?) -> Self {
    Self(next: rule, unchanged: nowhere)
  }

  @Sendable private static func nowhere(_ page: FeedPage) -> URLRequest? { nil }

  // A link that cannot be read must not make a page look like the last one.
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
    guard let text = page.response.value(forHTTPHeaderField: "Link"),
      let target = LinkHeader.target(of: "next", in: text)
    else { return nil }
    guard let request = page.request(at: target) else { throw .unreadableLink(target) }
    return request
  }
}

/// A page of a ``Feed`` that was read.
public struct FeedPage: Sendable {
  /// What was asked for.
  public let request: URLRequest
  /// What the server answered, without the body.
  public let response: HTTPURLResponse
  /// Its place among the feed's pages, from 1.
  public let number: Int
  /// The records that it had, refused ones included; 0 if the server said that it has not changed.
  public let records: Int
  /// What its document says beside its records.
  public var members = JSONMembers()

  /// The same request at another address, relative to this page's; nil if it is none.
  func request(at target: String) -> URLRequest? {
    let url = URL(string: target, relativeTo: response.url ?? request.url)
    return url.map { request.with($0.absoluteURL) }
  }

  /// The same request with other values of some query parameters.
  public func request(with parameters: [String: String]) -> URLRequest {
    guard let url = request.url,
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return request }
    var items = components.queryItems ?? []
    items.removeAll { parameters[$0.name] != nil }
    for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
      items.append(URLQueryItem(name: name, value: value))
    }
    components.queryItems = items
    guard let url = components.url else { return request }
    return request.with(url)
  }
}

extension URLRequest {
  func with(_ url: URL) -> URLRequest {
    var copy = self
    copy.url = url
    return copy
  }
}

/// The `Link` header of a response (RFC 8288): `<https://…?page=2>; rel="next", <…>; rel="last"`.
enum LinkHeader {
  /// The first target with a relation; nil if there is none.
  static func target(of relation: String, in text: String) -> String? {
    var rest = text[...]
    while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
      let target = rest[rest.index(after: start)..<end]
      let parameters = parameters(&rest, from: rest.index(after: end))
      let relations = parameters["rel"]?.lowercased().split(separator: " ") ?? []
      if relations.contains(relation[...]) { return String(target) }
    }
    return nil
  }

  /// Reads parameters up to the comma that ends a link; commas in quotes are text.
  private static func parameters(
    _ rest: inout Substring, from start: String.Index
  ) -> [String: String] {
    rest = rest[start...]
    var all: [String: String] = [:]
    var (name, value, isQuoted, isName) = ("", "", false, true)
    func add() {
      let key = name.trimmingCharacters(in: .whitespaces).lowercased()
      // The first of several counts.
      if !key.isEmpty && all[key] == nil { all[key] = value.trimmingCharacters(in: .whitespaces) }
      (name, value, isName) = ("", "", true)
    }
    while let character = rest.popFirst() {
      switch character {
      case "\"": isQuoted.toggle()
      case "\\" where isQuoted: if let next = rest.popFirst() { value.append(next) }
      case ";" where !isQuoted: add()
      case "," where !isQuoted:
        add()
        return all
      case "=" where !isQuoted && isName: isName = false
      default: if isName { name.append(character) } else { value.append(character) }
      }
    }
    add()
    return all
  }
}

/// Why the pages of a feed cannot be read.
public enum PagingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A page leads to one that was read before.
  case repeatedPage(URL?)
  /// What should say where the next page is cannot be read.
  case unreadableLink(String)

  public var description: String {
    switch self {
    case .repeatedPage(let url): "the pages lead back to \(url?.absoluteString ?? "one of them")"
    case .unreadableLink(let text): "no link to another page: \(text)"
    }
  }
}
