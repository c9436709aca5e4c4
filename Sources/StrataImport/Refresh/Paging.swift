public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// The rule by which the page after a page of a ``Feed`` is found.
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
    guard let target = try LinkHeader.target(of: "next", in: text) else { return nil }
    guard let request = page.request(at: target) else { throw .unreadableLink(target) }
    return request
  }
}

/// A page of a ``Feed`` that was read.
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
  /// Returns the first target with a relation; nil without such a link.
  ///
  /// - Throws: ``PagingError/unreadableLink(_:)`` for text that is not a list of links. Such text
  ///   must not look like a header without the relation, which means the last page.
  static func target(of relation: String, in text: String) throws(PagingError) -> String? {
    var parser = Parser(text)
    var found: String?
    while let link = try parser.next() {
      // Each link has a relation (RFC 8288, 3.3). A quotation mark that is not one of HTTP's would
      // make the relation another word.
      guard let relations = link.parameters["rel"]?.lowercased(), !relations.contains("'") else {
        throw .unreadableLink(text)
      }
      if found == nil, relations.split(whereSeparator: \.isWhitespace).contains(relation[...]) {
        found = link.target
      }
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

    /// Returns the next link; nil at the end.
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
        // The first of several parameters of one name counts.
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

    /// Reads the text before a separator, in lowercase.
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

/// The error of pages that cannot be read.
public enum PagingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A page leads to a page that was read before.
  case repeatedPage(URL?)
  /// The link to the next page cannot be read.
  case unreadableLink(String)

  public var description: String {
    switch self {
    case .repeatedPage(let url): "the pages lead back to \(url?.absoluteString ?? "one of them")"
    case .unreadableLink(let text): "no link to another page: \(text)"
    }
  }
}
