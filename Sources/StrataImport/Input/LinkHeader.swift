internal import Foundation

/// The `Link` header of a response (RFC 8288): `<https://…?page=2>; rel="next", <…>; rel="last"`.
enum LinkHeader {
  /// Returns the first target with a relation to a page; nil without such a link.
  ///
  /// A link whose `anchor` is another URL than the page's, or a part of the page, is a link of
  /// something else (RFC 8288, 3.2).
  ///
  /// - Throws: ``PagingError/unreadableLink(_:)`` for text that is not a list of links. Such text
  ///   must not look like a header without the relation, which means the last page.
  static func target(
    of relation: String, in text: String, of page: URL?
  ) throws(PagingError) -> String? {
    var parser = Parser(text)
    var found: String?
    while let link = try parser.next() {
      // Each link has a relation (RFC 8288, 3.3). A quotation mark that is not one of HTTP's would
      // make the relation another word.
      guard let relations = link.parameters["rel"]?.lowercased(), !relations.contains("'") else {
        throw .unreadableLink(text)
      }
      let names = relations.split(whereSeparator: \.isWhitespace)
      if found == nil, names.contains(relation[...]), isOfPage(page, link.parameters["anchor"]) {
        found = link.target
      }
    }
    return found
  }

  private static func isOfPage(_ page: URL?, _ anchor: String?) -> Bool {
    guard let anchor, !anchor.isEmpty else { return true }
    return URL(string: anchor, relativeTo: page)?.absoluteString == page?.absoluteString
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
