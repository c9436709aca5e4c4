/// What changed in a live query since the update before.
///
/// Offsets are valid for batch updates in the order that lists expect: first the deletions and the
/// origins of moves, in the old list; then the insertions and the destinations of moves, in the
/// new one, ascending. Edits are offsets in the new list; an element that moved and changed is in
/// both.
public struct LiveUpdate<E: Entity>: Sendable {
  /// An element that stands elsewhere.
  public struct Move: Sendable, Hashable {
    /// The offset in the old list.
    public let from: Int
    /// The offset in the new list.
    public let to: Int
  }

  /// An element with other values.
  public struct Edit: Sendable, Hashable {
    /// The offset in the new list.
    public let offset: Int
    /// The names of the attributes that changed.
    public let attributes: Set<String>
  }

  /// The elements after the update.
  public let elements: LiveElements<E>
  /// Whether there is nothing to list differences from, or too many to list: show `elements`, the
  /// offsets are empty.
  public let isReset: Bool
  /// Offsets in the old list of elements that are gone, ascending.
  public let deletions: [Int]
  /// Offsets in the new list of elements that are new, ascending.
  public let insertions: [Int]
  /// The fewest moves that the new order needs, of elements whose sort attributes changed, by
  /// destination.
  public let moves: [Move]
  /// Elements that changed, by offset in the new list.
  public let edits: [Edit]

  init(_ elements: LiveElements<E>, _ difference: LiveDifference?, _ table: Table) {
    self.elements = elements
    isReset = difference == nil
    deletions = difference?.deletions ?? []
    insertions = difference?.insertions ?? []
    moves = (difference?.moves ?? []).map { Move(from: $0.from, to: $0.to) }
    edits = (difference?.edits ?? []).map { edit in
      Edit(
        offset: edit.offset,
        attributes: table.attributeNames(edit.attributes))
    }
  }
}

extension LiveUpdate {
  /// Brings a plain array from the list before the update to the list after it.
  ///
  /// What a table or collection view does with the offsets, spelled out.
  public func apply(to list: inout [E]) {
    if isReset {
      list = Array(elements)
      return
    }
    for offset in (deletions + moves.map(\.from)).sorted(by: >) { list.remove(at: offset) }
    for offset in (insertions + moves.map(\.to)).sorted() {
      list.insert(elements[offset], at: offset)
    }
    for edit in edits { list[edit.offset] = elements[edit.offset] }
  }
}

extension LiveUpdate: CustomStringConvertible {
  public var description: String {
    if isReset { return "reset to \(elements.count) elements" }
    let moved = moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", ")
    return "deleted \(deletions), inserted \(insertions), moved [\(moved)], "
      + "edited \(edits.map(\.offset)), \(elements.count) elements"
  }
}
