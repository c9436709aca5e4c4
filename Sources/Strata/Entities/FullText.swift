internal import StrataSQLite

/// The rules by which an entity's full text is split into words and indexed.
///
/// ``Attribute/fullText(weight:)`` adds an attribute to the full text. Without this element,
/// ``FullTextTokenizer/unicode61(removesDiacritics:inWords:separators:)`` defines the words.
///
/// ```swift
/// static let schema = Schema<Note>("notes", key: \.id) {
///   Attribute(\.title).fullText(weight: 4)
///   Attribute(\.body).fullText()
///   FullText<Note>(.porter(), prefixes: 2, 3)
/// }
/// ```
///
/// When this element changes, opening an existing store rebuilds its index. See
/// <doc:FullTextSearch>.
public struct FullText<Root: Entity>: SchemaElement {
  public let _element: _ElementDefinition

  /// Creates the rules for the full text of an entity.
  ///
  /// - Parameters:
  ///   - tokenizer: the definition of a word.
  ///   - prefixes: the lengths, 1 to 999 characters, of word prefixes that get an index of their
  ///     own. A search finds other prefixes, too, by reading all words that begin with them.
  ///   - fileID: the file of the declaration, for error messages.
  ///   - line: the line of the declaration.
  public init(
    _ tokenizer: FullTextTokenizer = .unicode61(), prefixes: Int..., fileID: StaticString = #fileID,
    line: UInt = #line
  ) {
    _element = _ElementDefinition(
      content: .fullText(
        FullTextRules(tokenizer: tokenizer, prefixes: Array(Set(prefixes)).sorted()),
        SourceLine(fileID, line)))
  }
}

/// The definition of a word for a full-text index.
///
/// ```swift
/// FullText<Note>(.porter(.unicode61(removesDiacritics: true)), prefixes: 2, 3)
/// ```
public struct FullTextTokenizer: Sendable, Hashable {
  /// The value of FTS5's option `tokenize`.
  let option: String

  /// Takes runs of letters, marks and digits of Unicode 6.1 as words, without regard to case.
  ///
  /// Diacritics are the accents of Latin, Greek, Cyrillic and other letters, the points of Hebrew,
  /// Arabic and Syriac, and the voice marks of kana. So "Ελλάδα" is found as "ελλαδα", "ёлка" as
  /// "елка", "שָׁלוֹם" as "שלום", "كَتَبَ" as "كتب" and "が" as "か". Vowel signs, tones and viramas of
  /// Indic and Southeast Asian scripts are no diacritics.
  ///
  /// Chinese, Japanese and Thai have no spaces between words, so a run of their letters is one word
  /// here. Use ``trigram`` for such texts.
  ///
  /// - Parameters:
  ///   - removesDiacritics: whether diacritics do not count: "café" is found as "cafe".
  ///   - inWords: further characters that are parts of words, such as "-_".
  ///   - separators: characters that are never parts of words.
  public static func unicode61(
    removesDiacritics: Bool = true, inWords: String = "", separators: String = ""
  ) -> Self {
    var option =
      "\(TextTokenizer.words) remove_diacritics \(removesDiacritics ? 2 : 0) "
      + "categories 'L* N* Co Mn Mc'"
    if !inWords.isEmpty { option += " tokenchars \(inWords.quoted(by: "'"))" }
    if !separators.isEmpty { option += " separators \(separators.quoted(by: "'"))" }
    return Self(option: option)
  }

  /// A tokenizer whose words are runs of ASCII letters and digits and of all non-ASCII characters.
  ///
  /// The case of ASCII letters alone does not count.
  public static var ascii: Self { Self(option: "ascii") }

  /// A tokenizer with which a search finds any part of a text.
  ///
  /// A text contains a part as `ignoringCase.contains` finds it: case does not count, diacritics
  /// and all other characters do. White space splits a search into parts, and ``SearchText/phrase(_:)``
  /// is one part with its white space. A NUL is a space. The tokenizer suits Chinese, Japanese and
  /// Thai, and names and codes.
  ///
  /// The index takes every three characters as a word. A part of one or two characters is the
  /// beginning of such words: the search reads them all, unless `FullText(.trigram, prefixes: 1, 2)`
  /// gives them an index.
  public static var trigram: Self { Self(option: TextTokenizer.parts) }

  /// Reduces English words to their stems, so that "notes" is found as "note".
  public static func porter(_ words: Self = .unicode61()) -> Self {
    Self(option: "porter \(words.option)")
  }
}

extension Attribute where Value: TextValue {
  /// Adds the attribute to its entity's full-text index, so that it can be searched for words.
  ///
  /// The index is exact at every commit, because the writer changes it in the transaction of the
  /// row. It costs nothing when only other attributes change.
  ///
  /// - Parameter weight: the weight of a word in this attribute, relative to other attributes, for
  ///   the relevance of an entity. It must be more than 0. A new weight does not touch the store.
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
