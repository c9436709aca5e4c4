/// How the full text of an entity is split into words, and what else is kept to find them.
///
/// Which attributes are searched, the attributes say: ``Attribute/fullText(weight:)``. Without this
/// element words are those of
/// ``FullTextTokenizer/unicode61(removesDiacritics:inWords:separators:)``.
///
/// ```swift
/// static let schema = Schema<Note>("notes", key: \.id) {
///   Attribute(\.title).fullText(weight: 4)
///   Attribute(\.body).fullText()
///   FullText<Note>(.porter(), prefixes: 2, 3)
/// }
/// ```
///
/// An existing store's index is built anew when this changes: see <doc:FullTextSearch>.
public struct FullText<Root: Entity>: SchemaElement {
  public let element: ElementDefinition

  /// The rules for the full text of an entity.
  ///
  /// - Parameters:
  ///   - tokenizer: what a word is.
  ///   - prefixes: lengths, in characters, of the beginnings of words that get an index of their
  ///     own, 1 to 999. Beginnings are found without, too, by reading all words that begin so.
  ///   - fileID: of the declaration, for the errors that name it.
  ///   - line: of the declaration.
  public init(
    _ tokenizer: FullTextTokenizer = .unicode61(), prefixes: Int..., fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    element = ElementDefinition(
      content: .fullText(
        FullTextRules(tokenizer: tokenizer, prefixes: Array(Set(prefixes)).sorted()),
        SourceLine(fileID, line)))
  }
}

/// What a word is, to a full-text index.
public struct FullTextTokenizer: Sendable, Hashable {
  /// The value of FTS5's option `tokenize`.
  let option: String

  /// Words are runs of letters and digits as Unicode 6.1 has them, without regard to case.
  ///
  /// - Parameters:
  ///   - removesDiacritics: whether "café" is found as "cafe".
  ///   - inWords: further characters that are parts of words, such as "-_".
  ///   - separators: characters that are never parts of words.
  public static func unicode61(
    removesDiacritics: Bool = true, inWords: String = "", separators: String = ""
  ) -> Self {
    var option = "unicode61 remove_diacritics \(removesDiacritics ? 2 : 0)"
    if !inWords.isEmpty { option += " tokenchars \(quoted(inWords))" }
    if !separators.isEmpty { option += " separators \(quoted(separators))" }
    return Self(option: option)
  }

  /// Words are runs of ASCII letters and digits, and of everything that is not ASCII.
  public static var ascii: Self { Self(option: "ascii") }

  /// Every three characters are a word: finds any part of a text of three characters or more,
  /// without regard to case.
  public static var trigram: Self { Self(option: "trigram") }

  /// English words are reduced to their stems: "notes" is found as "note".
  public static func porter(_ words: Self = .unicode61()) -> Self {
    Self(option: "porter \(words.option)")
  }

  private static func quoted(_ characters: String) -> String {
    "'" + characters.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
      + "'"
  }
}

extension Attribute where Value: TextValue {
  /// Adds the attribute to its entity's full-text index, so that it can be searched for words.
  ///
  /// The index is exact at every commit: the writer changes it in the transaction of the row. It
  /// costs nothing when other attributes change.
  ///
  /// - Parameter weight: how much a word found here counts for the relevance of an entity, compared
  ///   with other attributes; more than 0. Changing it does not touch the store.
  public func fullText(weight: Double = 1) -> Self {
    var copy = self
    copy.definition.fullTextWeight = weight
    return copy
  }
}

/// The options of an entity's full-text index.
struct FullTextRules: Sendable {
  var tokenizer = FullTextTokenizer.unicode61()
  var prefixes: [Int] = []
}
