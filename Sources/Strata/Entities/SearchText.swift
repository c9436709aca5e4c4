/// What to look for in a full-text index.
///
/// Whatever somebody types is text and never syntax: `-`, `*`, `"` and `AND` mean nothing, and no
/// text is malformed. Only ``expression(_:)`` is in the language of the index.
///
/// A text is split at white space, and each part as the index splits what it stores: "don't" is
/// "don" followed by "t". Parts without a letter or digit are ignored; a text of nothing else
/// matches nothing.
public struct SearchText: Sendable, Hashable {
  /// The expression in FTS5's language.
  let expression: String
  /// Why this is no expression, as far as one can tell without asking SQLite.
  private(set) var flaw: String?

  /// Every word, anywhere and in any order.
  public static func words(_ text: String) -> Self { Self(terms(text), joinedBy: " ") }

  /// At least one of the words.
  public static func anyWord(of text: String) -> Self { Self(terms(text), joinedBy: " OR ") }

  /// The words beside each other, in this order.
  public static func phrase(_ text: String) -> Self { Self([quoted(text)], joinedBy: " ") }

  /// Every word, of which the last one may go on: for a field where somebody is still typing.
  public static func prefix(_ text: String) -> Self {
    var terms = terms(text)
    if let last = terms.popLast() { terms.append(last + " *") }
    return Self(terms, joinedBy: " ")
  }

  /// A word for each of the beginnings.
  public static func prefixes(_ text: String) -> Self {
    Self(terms(text).map { $0 + " *" }, joinedBy: " ")
  }

  /// An expression in the language of SQLite's FTS5: `title : grace NOT "river notes"`.
  ///
  /// Running a query with a malformed one throws ``StoreError`` with code `invalidQuery`.
  public static func expression(_ expression: String) -> Self {
    var text = Self([expression], joinedBy: "")
    if expression.utf8.contains(0) {
      // SQLite would read it up to there only; what is left could mean anything.
      text.flaw = "the search expression has a NUL"
    } else if expression.hasPrefix("*") {
      // FTS5 would take it for a question about the index itself.
      text.flaw = "the search expression begins with an asterisk"
    } else if !hasBalancedParentheses(expression) {
      // It stands in parentheses behind the attributes that it is asked of, and must not close
      // them.
      text.flaw = "the search expression has a parenthesis without its other half"
    }
    return text
  }

  /// Whether every parenthesis outside of quotes has its other half. In FTS5 a quote in quotes is
  /// written twice, which ends a string and begins one.
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

  /// A string of FTS5: nothing in it is syntax.
  private static func quoted(_ text: String) -> String {
    var quoted = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar == "\0" ? " " : scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// The expression, looking into some columns only.
  func expression(in columns: [String]) -> String {
    if columns.isEmpty { return expression }
    return "{\(columns.map(\.quotedIdentifier).joined(separator: " "))} : (\(expression))"
  }
}
