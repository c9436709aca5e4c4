internal import StrataSQLite

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
  private enum Content: Hashable {
    case terms([Term], joinedBy: String)
    /// An expression in FTS5's language.
    case expression(String)
  }

  private struct Term: Hashable {
    let text: String
    var isPrefix = false

    /// Returns the term as an FTS5 string, in which nothing is syntax.
    func expression(for index: SchemaDescription.FullText) -> String {
      let scalars = text.unicodeScalars.map { $0 == "\0" ? " " : $0 }
      let string = String(String.UnicodeScalarView(scalars)).quoted(by: "\"")
      return isPrefix || index.findsParts && text.isShortPart ? string + " *" : string
    }
  }

  private let content: Content

  /// Searches for every word, anywhere and in any order.
  public static func words(_ text: String) -> Self { Self(terms(text), joinedBy: " ") }

  /// Searches for at least one of the words.
  public static func anyWord(of text: String) -> Self { Self(terms(text), joinedBy: " OR ") }

  /// Searches for the words beside each other, in this order.
  public static func phrase(_ text: String) -> Self {
    let words = text.split(whereSeparator: separates)
    guard let first = words.first, let last = words.last else { return Self([], joinedBy: " ") }
    return Self([Term(text: String(text[first.startIndex..<last.endIndex]))], joinedBy: " ")
  }

  /// Searches for every word, where the last word may be incomplete.
  ///
  /// It suits a field in which the user is still typing.
  public static func prefix(_ text: String) -> Self {
    var terms = terms(text)
    if let last = terms.popLast() { terms.append(Term(text: last.text, isPrefix: true)) }
    return Self(terms, joinedBy: " ")
  }

  /// Searches for a word for each prefix in the text.
  public static func prefixes(_ text: String) -> Self {
    Self(terms(text).map { Term(text: $0.text, isPrefix: true) }, joinedBy: " ")
  }

  /// Searches with an expression in the language of SQLite's FTS5:
  /// `title : grace NOT "river notes"`.
  ///
  /// Running a query with a malformed expression throws ``StoreError`` with code `invalidQuery`. So
  /// does a part of one or two characters in an index of ``FullTextTokenizer/trigram``, unless an
  /// asterisk follows it.
  public static func expression(_ expression: String) -> Self {
    Self(content: .expression(expression))
  }

  private init(content: Content) { self.content = content }

  private init(_ terms: [Term], joinedBy connective: String) {
    self.init(content: .terms(terms, joinedBy: connective))
  }

  private static func separates(_ character: Character) -> Bool {
    character.isWhitespace || character.unicodeScalars.contains("\0")
  }

  private static func terms(_ text: String) -> [Term] {
    text.split(whereSeparator: separates).map { Term(text: String($0)) }
  }
}

// MARK: - In an index

extension SearchText {
  /// Returns the reason why an index cannot be searched, as far as it can be found without SQLite.
  func flaw(in index: SchemaDescription.FullText) -> String? {
    guard case .expression(let text) = content else { return nil }
    let expression = SearchExpression(text)
    return expression.flaw ?? (index.findsParts ? expression.flawOfParts : nil)
  }

  /// Returns the expression for FTS5, restricted to some columns unless the list is empty.
  func expression(
    for index: SchemaDescription.FullText, in columns: [String] = []
  ) -> String {
    let expression =
      switch content {
      case .expression(let text): text
      case .terms(let terms, let connective):
        terms.isEmpty
          ? "\"\"" : terms.map { $0.expression(for: index) }.joined(separator: connective)
      }
    if columns.isEmpty { return expression }
    return "{\(columns.map(\.quotedIdentifier).joined(separator: " "))} : (\(expression))"
  }

  /// The parts of texts that an index of parts finds; nil for another index or an expression.
  func parts(in index: SchemaDescription.FullText) -> [String]? {
    guard index.findsParts, case .terms(let terms, _) = content else { return nil }
    return terms.map(\.text)
  }
}

extension SchemaDescription.FullText {
  /// Whether the words of the index are all parts of the texts with three characters, so that a
  /// shorter part is the beginning of a word.
  var findsParts: Bool { tokenizer.split(separator: " ").contains { $0 == TextTokenizer.parts } }
}

extension String {
  /// Whether an index of parts finds the text only as the beginning of a part.
  var isShortPart: Bool {
    CaseFolding.fold(self).unicodeScalars.count < TextTokenizer.partLength
  }
}
