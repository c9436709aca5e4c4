import Strata
import StrataMap

/// The map of a page: a registry, and the differences of its surface on their way to the page.
///
/// The next piece of a difference follows when the page has drawn the last. While the page draws a
/// full piece, another piece is on its way. Meanwhile the surface composes changes. So a page that is
/// slow or stopped costs an entry for each id, and no queue.
@MainActor final class MapChannel {
  /// The most changes in a piece: a frame of the page and a short turn of the main actor.
  private static let pieceSize = 600
  /// The greatest zoom level of the page's map, as `Camera.maximum` in the page has it.
  nonisolated static let maximumZoom = 8

  let registry: AnnotationRegistry<Sighting>
  private let surface = GeoJSONSurface()
  private let send: @Sendable (Event) -> Void
  /// The numbers of changes of the pieces that the page has not drawn.
  private var underWay: [Int] = []
  /// The longest turn that took a piece.
  private(set) var longestTake = Duration.zero
  /// Whether the page waits for the end of the first differences.
  private var isCompleting = false
  private let (everythingDrawn, didDrawEverything) = AsyncStream.makeStream(of: Void.self)

  init(
    _ live: LiveQuery<Sighting>, isClustered: Bool, send: @escaping @Sendable (Event) -> Void
  ) {
    self.send = send
    let clusters = isClustered ? ClusterOptions(radius: 44, maximumZoom: Self.maximumZoom) : nil
    registry = AnnotationRegistry(
      live, mapping: Sighting.pins, on: surface, clusters: clusters, sliceBudget: .milliseconds(1),
      clock: ThreadClock())
    // The gate stays closed until the page tells the region of its map.
    registry.close(.regionChange)
    surface.onChange = { [weak self] in
      // The rest of the slice comes first.
      Task { self?.offer() }
    }
  }

  /// Sends `complete` after the differences so far.
  func complete() {
    isCompleting = true
    offer()
  }

  func wasShown() {
    if !underWay.isEmpty { underWay.removeFirst() }
    offer()
  }

  private func offer() {
    let start = ThreadClock().now
    defer { longestTake = max(longestTake, start.duration(to: ThreadClock().now)) }
    guard underWay.isEmpty || underWay == [Self.pieceSize] else { return }
    let piece = surface.take(limit: Self.pieceSize)
    let count = piece.map { $0.addedCount + $0.updatedCount + $0.removedCount } ?? 0
    if let piece {
      underWay.append(count)
      send(.change(difference: piece))
    }
    if isCompleting && count < Self.pieceSize {
      isCompleting = false
      send(.complete)
    }
    if underWay == [Self.pieceSize] { Task { offer() } }
  }

  // MARK: Everything

  func everythingWasShown() { didDrawEverything.yield() }

  /// Waits until the page has drawn the last event with all features.
  func everythingShown() async {
    for await _ in everythingDrawn { break }
  }
}
