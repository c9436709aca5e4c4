/// What changed in a live query with sections since the update before.
///
/// Places are valid for batch updates in the order that lists expect: first the deletions of
/// elements, the origins of moves and the deletions of sections, in the old sections; then the
/// insertions of sections, the insertions of elements and the destinations of moves, in the new
/// ones, ascending. What comes or goes with its whole section is not listed one by one, and nothing
/// moves out of a section that goes or into one that comes.
public struct SectionUpdate<E: Entity, Name: Sendable>: Sendable {
  /// An element that stands elsewhere.
  public struct Move: Sendable, Hashable {
    /// The place in the old sections.
    public let from: LivePath
    /// The place in the new sections.
    public let to: LivePath
  }

  /// An element with other values.
  public struct Edit: Sendable, Hashable {
    /// The place in the new sections.
    public let path: LivePath
    /// The names of the attributes that changed.
    public let attributes: Set<String>
  }

  /// The sections after the update.
  public let sections: LiveSections<E, Name>
  /// Whether there is nothing to list differences from, or too many to list, or the sections stand
  /// in another order: show `sections`, the places are empty.
  public let isReset: Bool
  /// Offsets in the old sections of those that are gone, ascending.
  public let deletedSections: [Int]
  /// Offsets in the new sections of those that are new, ascending.
  public let insertedSections: [Int]
  /// Places in the old sections of elements that are gone, ascending.
  public let deletions: [LivePath]
  /// Places in the new sections of elements that are new, ascending.
  public let insertions: [LivePath]
  /// The fewest moves that the new order needs, by destination.
  public let moves: [Move]
  /// Elements that changed, by place in the new sections.
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
  /// What a table or collection view does with the places, spelled out.
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
