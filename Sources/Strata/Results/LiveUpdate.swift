/// The changes of a live query since the previous update.
///
/// The offsets are valid for batch updates in the order that lists expect. First come the deletions
/// and the origins of moves, in the old list. Then come the insertions and the destinations of
/// moves, in the new list, ascending. Edits are offsets in the new list. An element that moved and
/// changed is both in the moves and in the edits.
///
/// ```swift
/// for await update in songs.updates {
///   print(update.deletions, update.insertions, update.moves.count, update.edits.count)
/// }
/// ```
public struct LiveUpdate<E: Entity>: Sendable {
  /// A move of an element to another offset.
  public struct Move: Sendable, Hashable {
    /// The offset in the old list.
    public let from: Int
    /// The offset in the new list.
    public let to: Int
  }

  /// A change of an element's values.
  public struct Edit: Sendable, Hashable {
    /// The offset in the new list.
    public let offset: Int
    /// The names of the attributes that changed.
    public let attributes: Set<String>
  }

  /// The elements after the update.
  public let elements: LiveElements<E>
  /// Whether the update lists no differences, because it is the first or there are too many.
  ///
  /// Show `elements` then. The offsets are empty.
  public let isReset: Bool
  /// The offsets in the old list of deleted elements, ascending.
  public let deletions: [Int]
  /// The offsets in the new list of inserted elements, ascending.
  public let insertions: [Int]
  /// Moves that bring the other elements into the new order, by destination.
  ///
  /// An element moves only if its sort attributes or the query's order changed, also if they have their
  /// first values again by now. Of these elements the fewest move that let all others stay. So if three
  /// elements pass a fourth, there are three moves, although a move of the fourth would do.
  public let moves: [Move]
  /// The changed elements, by offset in the new list.
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
  /// The steps are those of a table or collection view that applies the offsets.
  public func apply(to list: inout [E]) {
    if isReset {
      list = Array(elements)
      return
    }
    apply(to: &list, changing: edits.map(\.offset)) { elements[$0] }
  }

  /// Brings a list with a row for each element to its new version, unless the update is a reset.
  ///
  /// - Parameters:
  ///   - changed: the offsets in the new list of rows that change in their places.
  ///   - row: returns the row at an offset in the new list.
  func apply<Row>(to list: inout [Row], changing changed: [Int], _ row: (Int) -> Row) {
    for offset in (deletions + moves.map(\.from)).sorted(by: >) { list.remove(at: offset) }
    for offset in (insertions + moves.map(\.to)).sorted() {
      list.insert(row(offset), at: offset)
    }
    for offset in changed { list[offset] = row(offset) }
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
