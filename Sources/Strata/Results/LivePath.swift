/// The position of an element in a live query with sections.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// let song = genres.sections[LivePath(section: 0, item: 2)]
/// ```
public struct LivePath: Sendable, Hashable, Comparable {
  /// The offset of the section.
  public let section: Int
  /// The offset of the element in the section.
  public let item: Int

  /// Creates the position of an item in a section.
  public init(section: Int, item: Int) {
    self.section = section
    self.item = item
  }

  public static func < (left: Self, right: Self) -> Bool {
    (left.section, left.item) < (right.section, right.item)
  }
}
