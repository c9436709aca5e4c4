/// A text with the ranges that a search matched.
///
/// ```swift
/// for found in try await view.search(Note.matching("grace").limit(20)) {
///   for range in found.excerpt.matches { print(found.excerpt.text[range]) }
/// }
/// ```
public struct Excerpt: Sendable, Hashable {
  /// The text, with "…" for each omitted part and a space for each NUL.
  public let text: String
  /// The matched ranges, in the order of the text.
  public let matches: [Range<String.Index>]

  init(text: String = "", matches: [Range<String.Index>] = []) {
    self.text = text
    self.matches = matches
  }
}
