public import Observation

/// A query's entities with what stands beside each of them, all kept up to date.
///
/// ```swift
/// let tree = view.live(
///   Artist.sorted(by: \.name),
///   with: Artist.songs.narrowed { $0.sorted(by: \.plays, order: .reverse).limit(3) },
///   .count(of: Artist.songs.narrowed { $0.where { $0.loved } }))
/// for (artist, songs, loved) in tree.elements { print(artist.name, songs.map(\.title), loved) }
/// ```
///
/// Every state that a tree shows is that of a single commit with the view context's unsaved edits on
/// top. Related entities neither show nor hide an entity. A limit of a relationship counts for each entity.
///
/// Holding the live tree, or a sequence of its ``updates``, keeps it up to date; releasing both ends it.
///
/// `Observable`: reading ``elements`` in a SwiftUI body or in `withObservationTracking` is enough.
@MainActor
public final class LiveTree<Root: Entity, Element: Sendable>: Observable {
  /// The same entities, whose versions have what stands beside them.
  private let live: LiveQuery<Root>
  private let reader: LiveTreeReader<Root, Element>

  init(_ live: LiveQuery<Root>, _ reader: LiveTreeReader<Root, Element>) {
    self.live = live
    self.reader = reader
  }

  var result: LiveResult { live.result }

  /// The entities in the query's order with what stands beside them, unsaved edits included; empty until
  /// loaded.
  public var elements: LiveTreeElements<Root, Element> {
    LiveTreeElements(live.elements.shown, reader)
  }

  /// The entity with an id and what stands beside it; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*) of the entities.
  public subscript(id id: Root.ID) -> Element? { elements[id: id] }

  /// Whether the first result has arrived.
  public var isLoaded: Bool { live.isLoaded }

  /// Why the result could not be loaded.
  ///
  /// The next commit and ``waitUntilLoaded()`` try a failed load again.
  public var error: StoreError? { live.error }

  /// Waits for the first result; a first load that has failed is tried again.
  ///
  /// - Throws: the error of a load that failed, `invalidQuery`, `cancelled` or `closed`.
  public func waitUntilLoaded() async throws { try await live.waitUntilLoaded() }

  /// The changes from now on, as deletions, insertions, moves and edits by offset, and the changes beside
  /// entities that stay.
  ///
  /// The sequence begins with the ``elements`` of the moment in which it is made. A slow consumer gets
  /// several changes as one update.
  public var updates: LiveTreeUpdates<Root, Element> {
    LiveTreeUpdates(live.differences(nil), reader)
  }

  /// The monitor that shows whether the live tree reads rows that it lacks.
  public var activity: ActivityMonitor { live.activity }

  /// The number of wakes, loads and updates of the live tree so far, and the time that they took.
  ///
  /// Reading it registers no observation.
  public var statistics: LiveStatistics { live.statistics }
}

/// Reads the elements of a live tree from its rows.
struct LiveTreeReader<Root: Entity, Element: Sendable>: Sendable {
  let model: Model
  /// Reads an entity with what stands beside it.
  let read: @Sendable (Root, (Int) -> TreeContent, Model) -> Element

  var table: Table { model.table(of: Root.self) }

  func element(_ row: Record, in shown: ShownRows) -> Element {
    let root = table.decodeLeniently(row, as: Root.self)
    return read(
      root,
      { branch in
        guard let related = shown.related else { fatalError("a live tree without related rows") }
        return related.content(branch, beside: row)
      }, model)
  }
}

/// The elements of a live tree at one moment: a value that never changes.
///
/// Elements are decoded when they are read, and keeping a version costs a single reference.
public struct LiveTreeElements<Root: Entity, Element: Sendable>: RandomAccessCollection, Sendable {
  let shown: ShownRows
  private let reader: LiveTreeReader<Root, Element>

  init(_ shown: ShownRows, _ reader: LiveTreeReader<Root, Element>) {
    self.shown = shown
    self.reader = reader
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { shown.range.count }

  /// The element at an offset.
  ///
  /// - Complexity: O(log *n*) for the entity and for each relationship, besides the related entities that are read.
  public subscript(offset: Int) -> Element { reader.element(shown.record(at: offset), in: shown) }

  /// The element of the entity with an id; nil if the query does not show it.
  ///
  /// - Complexity: as for an offset.
  public subscript(id id: Root.ID) -> Element? {
    id.recordKey.flatMap(shown.record).map { reader.element($0, in: shown) }
  }

  /// Returns the offset of the entity with an id; nil if the query does not show it.
  ///
  /// - Complexity: O(log *n*).
  public func offset(of id: Root.ID) -> Int? { id.recordKey.flatMap(shown.find)?.offset }
}
