/// A text with the places that a search matched.
public struct Excerpt: Sendable, Hashable {
  /// The text; "…" stands for what is left out, and a space for a NUL.
  public let text: String
  /// What matched, in the order of the text.
  public let matches: [Range<String.Index>]

  init(text: String = "", matches: [Range<String.Index>] = []) {
    self.text = text
    self.matches = matches
  }
}
