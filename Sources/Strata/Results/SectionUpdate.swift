/// The changes of a live query with sections since the previous update.
///
/// The paths are valid for batch updates in the order that lists expect. First come the deletions
/// of elements, the origins of moves and the deletions of sections, in the old sections. Then come
/// the insertions of sections, the insertions of elements and the destinations of moves, in the new
/// sections, ascending. Elements that are inserted or deleted with their whole section are not
/// listed individually. No element moves out of a deleted section or into an inserted section.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// var lists = genres.sections.map { Array($0.elements) }
/// for await update in genres.updates { update.apply(to: &lists) }
/// ```
public struct SectionUpdate<E: Entity, Name: Sendable>: Sendable {
  /// A move of an element to another path.
  public struct Move: Sendable, Hashable {
    /// The path in the old sections.
    public let from: LivePath
    /// The path in the new sections.
    public let to: LivePath
  }

  /// A change of an element's values.
  public struct Edit: Sendable, Hashable {
    /// The path in the new sections.
    public let path: LivePath
    /// The names of the attributes that changed.
    public let attributes: Set<String>
  }

  /// The sections after the update.
  public let sections: LiveSections<E, Name>
  /// Whether the update lists no differences.
  ///
  /// This is the case for the first update, if there are too many differences, and if the order of
  /// the sections itself changed. Show `sections` then. The paths are empty.
  public let isReset: Bool
  /// The offsets in the old sections of deleted sections, ascending.
  public let deletedSections: [Int]
  /// The offsets in the new sections of inserted sections, ascending.
  public let insertedSections: [Int]
  /// The paths in the old sections of deleted elements, ascending.
  public let deletions: [LivePath]
  /// The paths in the new sections of inserted elements, ascending.
  public let insertions: [LivePath]
  /// Moves that bring the other elements into the new order, by destination; see ``LiveUpdate/moves``.
  public let moves: [Move]
  /// The changed elements, by path in the new sections.
  public let edits: [Edit]

  init(
    _ sections: LiveSections<E, Name>, _ difference: SectionDifference?, _ table: Table
  ) {
    self.sections = sections
    isReset = difference == nil
    deletedSections = difference?.goneSections ?? []
    insertedSections = difference?.newSections ?? []
    deletions = difference?.deletions ?? []
    insertions = difference?.insertions ?? []
    moves = (difference?.moves ?? []).map { Move(from: $0.from, to: $0.to) }
    edits = (difference?.edits ?? []).map {
      Edit(path: $0.path, attributes: table.attributeNames($0.attributes))
    }
  }
}

extension SectionUpdate {
  /// Brings plain arrays from the sections before the update to the sections after it.
  ///
  /// The steps are those of a table or collection view that applies the paths.
  public func apply(to lists: inout [[E]]) {
    if isReset {
      lists = sections.map { Array($0.elements) }
      return
    }
    for path in (deletions + moves.map(\.from)).sorted(by: >) {
      lists[path.section].remove(at: path.item)
    }
    for section in deletedSections.reversed() { lists.remove(at: section) }
    for section in insertedSections {
      lists.insert(Array(sections[section].elements), at: section)
    }
    for path in (insertions + moves.map(\.to)).sorted() {
      lists[path.section].insert(sections[path], at: path.item)
    }
    for edit in edits { lists[edit.path.section][edit.path.item] = sections[edit.path] }
  }
}
