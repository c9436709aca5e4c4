/// The updates of a live tree: an `AsyncSequence` that never fails.
///
/// It behaves as ``LiveUpdates`` do.
///
/// ```swift
/// let tree = view.live(Artist.all, with: Artist.songs)
/// for await update in tree.updates { print(update.insertions, update.related.map(\.offset)) }
/// ```
///
/// - Precondition: a single task iterates a sequence; every other task asks for its own.
public struct LiveTreeUpdates<Root: Entity, Shown: Sendable>: AsyncSequence, Sendable {
  public typealias Element = LiveTreeUpdate<Root, Shown>
  public typealias Failure = Never

  private let differences: LiveDifferences
  private let reader: LiveTreeReader<Root, Shown>

  init(_ differences: LiveDifferences, _ reader: LiveTreeReader<Root, Shown>) {
    self.differences = differences
    self.reader = reader
  }

  /// Iterates the sequence's one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var differences: LiveDifferences.Iterator
    fileprivate let reader: LiveTreeReader<Root, Shown>

    /// Returns the difference since the last update, once there is one; nil at the end.
    ///
    /// A large difference is computed on another thread, not on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> LiveTreeUpdate<Root, Shown>? {
      guard let (rows, difference) = await differences.next(isolation: actor) else { return nil }
      return LiveTreeUpdate(LiveTreeElements(rows, reader), difference, reader.table)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(differences: differences.makeIterator(), reader: reader)
  }
}

/// The changes of a live tree since the previous update.
///
/// The offsets of deletions, insertions, moves and edits are those of a ``LiveUpdate``.
public struct LiveTreeUpdate<Root: Entity, Element: Sendable>: Sendable {
  /// The elements after the update.
  public let elements: LiveTreeElements<Root, Element>
  /// The changes beside entities that were there before, by offset and branch.
  public let related: [RelatedChange]
  private let roots: LiveUpdate<Root>

  /// Whether the update lists no differences, because it is the first or there are too many.
  public var isReset: Bool { roots.isReset }
  /// The offsets in the old list of deleted entities, ascending.
  public var deletions: [Int] { roots.deletions }
  /// The offsets in the new list of inserted entities, ascending.
  public var insertions: [Int] { roots.insertions }
  /// Moves that bring the other entities into the new order, by destination.
  public var moves: [LiveUpdate<Root>.Move] { roots.moves }
  /// The entities whose own attributes changed, by offset in the new list.
  public var edits: [LiveUpdate<Root>.Edit] { roots.edits }

  init(
    _ elements: LiveTreeElements<Root, Element>, _ difference: LiveDifference?, _ table: Table
  ) {
    self.elements = elements
    roots = LiveUpdate(LiveElements(elements.shown, table), difference, table)
    related = difference?.related.map { RelatedChange($0) } ?? []
  }
}

extension LiveTreeUpdate {
  /// Brings a plain array from the list before the update to the list after it.
  public func apply(to list: inout [Element]) {
    if isReset {
      list = Array(elements)
      return
    }
    let changed = Set(edits.map(\.offset) + related.map(\.offset))
    roots.apply(to: &list, changing: Array(changed)) { elements[$0] }
  }
}

extension LiveTreeUpdate: CustomStringConvertible {
  public var description: String {
    if isReset { return "reset to \(elements.count) elements" }
    let moved = moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", ")
    let beside = Set(related.map(\.offset)).sorted()
    return "deleted \(deletions), inserted \(insertions), moved [\(moved)], "
      + "edited \(edits.map(\.offset)), beside \(beside), \(elements.count) elements"
  }
}

/// A change of what stands beside one entity of a live tree in one branch.
public struct RelatedChange: Sendable, Hashable {
  /// The entity's offset in the new list.
  public let offset: Int
  /// The number of the branch: 0 for the first relationship or value after `with:`.
  public let branch: Int
  /// The offsets in the old list of related entities that left it, ascending; empty for a value.
  public let deletions: [Int]
  /// The offsets in the new list of related entities that entered it, ascending; empty for a value.
  public let insertions: [Int]
  /// Moves that bring the other related entities into the new order, by destination.
  public let moves: [Move]
  /// The offsets in the new list of related entities that changed, ascending.
  public let edits: [Int]

  /// A move of a related entity to another offset.
  public struct Move: Sendable, Hashable {
    /// The offset in the old list.
    public let from: Int
    /// The offset in the new list.
    public let to: Int
  }

  fileprivate init(_ difference: RelatedDifference) {
    offset = difference.offset
    branch = difference.branch
    deletions = difference.list?.deletions ?? []
    insertions = difference.list?.insertions ?? []
    moves = (difference.list?.moves ?? []).map { Move(from: $0.from, to: $0.to) }
    edits = difference.list?.edits.map(\.offset) ?? []
  }
}
