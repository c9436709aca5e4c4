public import Foundation
internal import StrataSQLite

extension QueryExpression where Value: TextValue {
  /// Tests whether the text has no characters.
  ///
  /// A nil text is not empty: test for `nil`, too, or write `($0.note ?? "").isEmpty`.
  public var isEmpty: Filter<Root> { compare(.equal, "") }

  /// Tests whether the text contains `part`, compared byte by byte as UTF-8.
  public func contains(_ part: String) -> Filter<Root> { match(.contains, part) }

  /// Tests whether the text starts with `prefix`, compared byte by byte as UTF-8.
  ///
  /// The test uses an index.
  public func hasPrefix(_ prefix: String) -> Filter<Root> { match(.prefix, prefix) }

  /// Tests whether the text ends with `suffix`, compared byte by byte as UTF-8.
  public func hasSuffix(_ suffix: String) -> Filter<Root> { match(.suffix, suffix) }

  /// The number of bytes that the text takes as UTF-8.
  public var utf8Count: QueryExpression<Root, Int?> { .init(node: .byteCount(node)) }

  /// The text, to be compared without regard to case: `$0.title.ignoringCase.contains("grace")`.
  public var ignoringCase: TextIgnoringCase<Root> { TextIgnoringCase(node: .folded(node)) }

  /// The text, to be compared in the current locale's order: `$0.name.localized < "m"`.
  public var localized: LocalizedText<Root> { localized(.current) }

  /// Returns the text, to be compared in a locale's order.
  public func localized(_ locale: Locale) -> LocalizedText<Root> {
    LocalizedText(node: node, order: .localized(locale))
  }

  private func match(_ match: TextMatch, _ text: String) -> Filter<Root> {
    Filter(node: .text(node, match, text))
  }
}

/// A text in a filter, compared without regard to case.
///
/// Case is folded by Unicode's full default folding: upper and lower case of every script are the
/// same, and so are "ß" and "ss", and "σ" and "ς". The language does not matter: "ı" is not "i",
/// which only Turkic languages pair with "I" and "İ". Accents do matter. A letter with a combining accent differs from the precomposed
/// letter. A comparison reads the whole table, because an index keeps the texts as they are.
///
/// ```swift
/// Song.where { $0.title.ignoringCase.hasPrefix("so ") }
/// ```
public struct TextIgnoringCase<Root>: Sendable {
  let node: ExpressionNode

  /// Tests whether the texts are the same except for case, where nil equals nil.
  public static func == (left: Self, right: String?) -> Filter<Root> {
    left.compare(.equal, right)
  }

  /// Tests whether the texts differ by more than case.
  public static func != (left: Self, right: String?) -> Filter<Root> {
    left.compare(.notEqual, right)
  }

  /// Tests whether the text contains `part`.
  public func contains(_ part: String) -> Filter<Root> { match(.contains, part) }

  /// Tests whether the text starts with `prefix`.
  public func hasPrefix(_ prefix: String) -> Filter<Root> { match(.prefix, prefix) }

  /// Tests whether the text ends with `suffix`.
  public func hasSuffix(_ suffix: String) -> Filter<Root> { match(.suffix, suffix) }

  /// Tests whether the text is one of `values`.
  public func isIn(_ values: some Sequence<String>) -> Filter<Root> {
    Filter(node: .isIn(node, Set(values.map { .text(CaseFolding.fold($0)) })))
  }

  private func compare(_ comparison: ComparisonOperator, _ text: String?) -> Filter<Root> {
    let literal = text.map { Cell.text(CaseFolding.fold($0)) } ?? .null
    return Filter(node: .compare(node, comparison, .literal(literal)))
  }

  private func match(_ match: TextMatch, _ text: String) -> Filter<Root> {
    Filter(node: .text(node, match, CaseFolding.fold(text)))
  }
}

/// A text in a filter, compared in a ``TextOrder``.
///
/// ```swift
/// Song.where { $0.title.localized(Locale(identifier: "sv")) >= "ö" }
/// ```
public struct LocalizedText<Root>: Sendable {
  let node: ExpressionNode
  let order: TextOrder

  /// Tests whether the texts sort alike, where nil equals nil.
  public static func == (left: Self, right: String?) -> Filter<Root> {
    left.compare(.equal, right)
  }

  /// Tests whether the texts do not sort alike.
  public static func != (left: Self, right: String?) -> Filter<Root> {
    left.compare(.notEqual, right)
  }

  /// Tests whether the text comes before the other text.
  ///
  /// The test is false if the text is nil.
  public static func < (left: Self, right: String) -> Filter<Root> { left.compare(.less, right) }

  /// Tests whether the text comes before the other text or sorts alike.
  ///
  /// The test is false if the text is nil.
  public static func <= (left: Self, right: String) -> Filter<Root> {
    left.compare(.lessOrEqual, right)
  }

  /// Tests whether the text comes after the other text.
  ///
  /// The test is false if the text is nil.
  public static func > (left: Self, right: String) -> Filter<Root> { left.compare(.greater, right) }

  /// Tests whether the text comes after the other text or sorts alike.
  ///
  /// The test is false if the text is nil.
  public static func >= (left: Self, right: String) -> Filter<Root> {
    left.compare(.greaterOrEqual, right)
  }

  private func compare(_ comparison: ComparisonOperator, _ text: String?) -> Filter<Root> {
    let literal = text.map { Cell.text($0) } ?? .null
    return Filter(node: .compare(node, comparison, .literal(literal), order.collation))
  }
}
