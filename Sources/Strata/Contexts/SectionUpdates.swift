/// The updates of a live query with sections: an `AsyncSequence` that never fails.
///
/// It behaves like ``LiveUpdates``.
///
/// ```swift
/// let genres = view.live(Song.sorted(by: \.title), sectionedBy: \.genre)
/// for await update in genres.updates { print(update.insertedSections) }
/// ```
public struct SectionUpdates<E: Entity, Name: Sendable>: AsyncSequence, Sendable {
  public typealias Element = SectionUpdate<E, Name>
  public typealias Failure = Never

  private let differences: LiveDifferences
  private let table: Table
  private let name: @Sendable (LiveElements<E>) -> Name

  init(
    _ differences: LiveDifferences, _ table: Table,
    _ name: @escaping @Sendable (LiveElements<E>) -> Name
  ) {
    self.differences = differences
    self.table = table
    self.name = name
  }

  /// Iterates the sequence's one subscription.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var differences: LiveDifferences.Iterator
    fileprivate let table: Table
    fileprivate let name: @Sendable (LiveElements<E>) -> Name

    /// Returns the difference since the last update, once there is one; nil at the end.
    ///
    /// A large difference is computed on another thread, not on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Never) -> SectionUpdate<E, Name>? {
      guard let (rows, difference) = await differences.next(isolation: actor) else { return nil }
      let sections = LiveSections(LiveElements<E>(rows, table), name)
      return SectionUpdate(sections, difference?.sections, table)
    }
  }

  public func makeAsyncIterator() -> Iterator {
    Iterator(differences: differences.makeIterator(), table: table, name: name)
  }
}
