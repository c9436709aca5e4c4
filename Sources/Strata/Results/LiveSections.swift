/// The sections of a live query at one moment: a value that never changes.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// for genre in genres.sections { print(genre.name, genre.elements.map(\.title)) }
/// ```
public struct LiveSections<E: Entity, Name: Sendable>: RandomAccessCollection, Sendable {
  private let all: LiveElements<E>
  private let index: SectionIndex
  private let name: @Sendable (LiveElements<E>) -> Name

  init(_ all: LiveElements<E>, _ name: @escaping @Sendable (LiveElements<E>) -> Name) {
    guard let index = all.shown.sections else { fatalError("a live query without sections") }
    self.all = all
    self.index = index
    self.name = name
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { index.count }

  /// The section at an offset. O(1).
  public subscript(section: Int) -> LiveSection<E, Name> {
    let range = index.range(of: section)
    return LiveSection(range: range, elements: all.part(range), name: name)
  }

  /// The element at a path. O(log *n*).
  public subscript(path: LivePath) -> E {
    all[index.range(of: path.section).lowerBound + path.item]
  }

  /// Returns the path of the element at an offset among all elements. O(log *s*) for *s* sections.
  public func path(of offset: Int) -> LivePath { index.path(of: offset) }
}

/// A section of a live query.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// if let first = genres.sections.first { print(first.name, first.elements.count) }
/// ```
public struct LiveSection<E: Entity, Name: Sendable>: Sendable {
  /// The offsets of the section's elements among all elements.
  public let range: Range<Int>
  /// The section's elements; never empty.
  public let elements: LiveElements<E>
  private let nameOf: @Sendable (LiveElements<E>) -> Name

  fileprivate init(
    range: Range<Int>, elements: LiveElements<E>,
    name: @escaping @Sendable (LiveElements<E>) -> Name
  ) {
    self.range = range
    self.elements = elements
    nameOf = name
  }

  /// The name that the section's elements share. O(log *n*), decoded from the first element.
  public var name: Name { nameOf(elements) }
}
