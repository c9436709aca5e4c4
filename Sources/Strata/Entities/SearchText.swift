/// A search in a full-text index.
///
/// A user's text is never syntax. `-`, `*`, `"` and `AND` have no special meaning, and no text is
/// malformed. Only ``expression(_:)`` is in the language of the index.
///
/// White space splits a text into parts. Each part is split further as the index splits the texts
/// it stores: "don't" is "don" followed by "t". Parts without a letter or digit are ignored. A text
/// with no other parts matches nothing.
///
/// ```swift
/// Note.matching(.prefix(field))
/// Note.where { $0.matches(.phrase("grace notes")) }
/// ```
public struct SearchText: Sendable, Hashable {
  /// The expression in FTS5's language.
  let expression: String
  /// The reason why the expression is malformed, as far as it can be found without SQLite.
  private(set) var flaw: String?

  /// Searches for every word, anywhere and in any order.
  public static func words(_ text: String) -> Self { Self(terms(text), joinedBy: " ") }

  /// Searches for at least one of the words.
  public static func anyWord(of text: String) -> Self { Self(terms(text), joinedBy: " OR ") }

  /// Searches for the words beside each other, in this order.
  public static func phrase(_ text: String) -> Self { Self([quoted(text)], joinedBy: " ") }

  /// Searches for every word, where the last word may be incomplete.
  ///
  /// It suits a field in which the user is still typing.
  public static func prefix(_ text: String) -> Self {
    var terms = terms(text)
    if let last = terms.popLast() { terms.append(last + " *") }
    return Self(terms, joinedBy: " ")
  }

  /// Searches for a word for each prefix in the text.
  public static func prefixes(_ text: String) -> Self {
    Self(terms(text).map { $0 + " *" }, joinedBy: " ")
  }

  /// Searches with an expression in the language of SQLite's FTS5:
  /// `title : grace NOT "river notes"`.
  ///
  /// Running a query with a malformed expression throws ``StoreError`` with code `invalidQuery`.
  public static func expression(_ expression: String) -> Self {
    var text = Self([expression], joinedBy: "")
    if expression.utf8.contains(0) {
      // SQLite would read the expression only up to the NUL. The expression that remains could mean
      // anything.
      text.flaw = "the search expression has a NUL"
    } else if expression.hasPrefix("*") {
      // FTS5 would take the expression for a question about the index itself.
      text.flaw = "the search expression begins with an asterisk"
    } else if !hasBalancedParentheses(expression) {
      // The expression stands in parentheses after the names of the searched attributes. It must
      // not close those parentheses.
      text.flaw = "the search expression has a parenthesis without its other half"
    }
    return text
  }

  /// Returns whether every parenthesis outside of quotes has its other half.
  ///
  /// In FTS5, a quote within quotes is doubled. The scan reads it as the end of a string and the
  /// start of the next, with the same result.
  private static func hasBalancedParentheses(_ expression: String) -> Bool {
    var depth = 0
    var isQuoted = false
    for byte in expression.utf8 {
      switch byte {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "(") where !isQuoted: depth += 1
      case UInt8(ascii: ")") where !isQuoted: depth -= 1
      default: break
      }
      if depth < 0 { return false }
    }
    return depth == 0
  }

  private init(_ terms: [String], joinedBy connective: String) {
    expression = terms.isEmpty ? "\"\"" : terms.joined(separator: connective)
  }

  private static func terms(_ text: String) -> [String] {
    text.split { $0.isWhitespace || $0.unicodeScalars.contains("\0") }.map { quoted(String($0)) }
  }

  /// Returns the text as an FTS5 string, in which nothing is syntax.
  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0 == "\0" ? " " : $0 }
    return String(String.UnicodeScalarView(scalars)).quoted(by: "\"")
  }

  /// Returns the expression, restricted to some columns unless the list is empty.
  func expression(in columns: [String]) -> String {
    if columns.isEmpty { return expression }
    return "{\(columns.map(\.quotedIdentifier).joined(separator: " "))} : (\(expression))"
  }
}
