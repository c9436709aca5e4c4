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
    guard let text = page.response.value(forHTTPHeaderField: "Link") else { return nil }
    guard let target = try LinkHeader.target(of: "next", in: text) else { return nil }
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
  ///
  /// - Throws: ``PagingError/unreadableLink(_:)`` for text that is no list of links. Such text must
  ///   not look like a header without the relation, which means the last page.
  static func target(of relation: String, in text: String) throws(PagingError) -> String? {
    var parser = Parser(text)
    var found: String?
    while let link = try parser.next() {
      let relations = link.parameters["rel"]?.lowercased().split(whereSeparator: \.isWhitespace)
      if found == nil, relations?.contains(relation[...]) == true { found = link.target }
    }
    return found
  }

  private struct Parser {
    private let text: String
    private var rest: Substring

    init(_ text: String) {
      self.text = text
      rest = text[...]
    }

    /// The next link; nil at the end.
    mutating func next() throws(PagingError) -> (target: String, parameters: [String: String])? {
      // Elements of a list may be empty (RFC 9110, 5.6.1).
      repeat { skipSpace() } while take(",")
      if rest.isEmpty { return nil }
      guard take("<"), let end = rest.firstIndex(of: ">") else { throw .unreadableLink(text) }
      let target = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
      var parameters: [String: String] = [:]
      skipSpace()
      while take(";") {
        let (name, value) = try parameter()
        // The first of several counts.
        if !name.isEmpty && parameters[name] == nil { parameters[name] = value }
        skipSpace()
      }
      if !rest.isEmpty && rest.first != "," { throw .unreadableLink(text) }
      return (target, parameters)
    }

    private mutating func parameter() throws(PagingError) -> (name: String, value: String) {
      skipSpace()
      let name = word()
      skipSpace()
      guard take("=") else { return (name, "") }
      skipSpace()
      return (name, take("\"") ? try quotedString() : word())
    }

    private mutating func quotedString() throws(PagingError) -> String {
      var value = ""
      while let character = rest.popFirst() {
        switch character {
        case "\"": return value
        case "\\": if let next = rest.popFirst() { value.append(next) }
        default: value.append(character)
        }
      }
      throw .unreadableLink(text)
    }

    /// What comes before a separator.
    private mutating func word() -> String {
      let word = rest.prefix { !";,=\"".contains($0) && !$0.isWhitespace }
      rest = rest[word.endIndex...]
      return word.lowercased()
    }

    private mutating func skipSpace() { rest = rest.drop(while: \.isWhitespace) }

    private mutating func take(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest.removeFirst()
      return true
    }
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
