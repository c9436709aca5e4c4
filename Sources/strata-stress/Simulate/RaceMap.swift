import Strata
import StrataMap

/// A map of the books, whose gate closes and opens while others commit.
@MainActor
final class RaceMap: AnnotationSurface {
  private var pins: [RecordKey: SurfaceAnnotation] = [:]
  private var violation: String?
  private var registry: AnnotationRegistry<Book>?
  private var isOver = false
  private let hasClusters: Bool
  /// The region that the map of clusters shows.
  private var region = GeoRegion(south: -90, west: -180, north: 90, east: 180)
  private var zoom = 0.0
  /// The zoom from which on books at different places are in different clusters.
  private static let apart = 8.0

  init(_ books: LiveQuery<Book>, _ random: inout SplitMix64) {
    hasClusters = random.oneIn(3)
    let mapping = AnnotationMapping<Book>(latitude: \.north, longitude: \.east).title(\.label)
    let clusters = hasClusters ? ClusterOptions() : nil
    registry = AnnotationRegistry(
      books, mapping: mapping, on: self, clusters: clusters,
      sliceBudget: random.oneIn(2) ? .zero : .milliseconds(4))
    if hasClusters { registry?.show(region, zoom: 0) }
  }

  func apply(_ operation: AnnotationOperation) {
    let isValid =
      switch operation {
      case .add(let annotation): pins.updateValue(annotation, forKey: annotation.id) == nil
      case .remove(let id): pins.removeValue(forKey: id) != nil
      case .move(let id, let coordinate): move(id, to: coordinate)
      case .restyle(let annotation):
        pins.updateValue(annotation, forKey: annotation.id).map { $0 != annotation } ?? false
      }
    if !isValid { violation = violation ?? "\(operation) has no effect" }
    if registry?.isGateOpen == false { violation = violation ?? "\(operation) at a closed gate" }
    if isOver { violation = violation ?? "\(operation) after the end" }
  }

  private func move(_ id: RecordKey, to coordinate: Coordinate) -> Bool {
    guard let old = pins[id], old.coordinate != coordinate else { return false }
    pins[id]?.coordinate = coordinate
    return true
  }

  /// Closes or opens the gate, or shows clusters of another region and size.
  func step(_ random: inout SplitMix64) {
    switch random.below(4) {
    case 0: registry?.close(.userInteraction)
    case 1 where hasClusters: pan(&random)
    default: registry?.open(.userInteraction)
    }
  }

  /// Shows clusters of another region and size.
  private func pan(_ random: inout SplitMix64) {
    let (south, west) = (Double(random.below(3)) - 0.4, Double(random.below(3)) - 0.4)
    let size = random.oneIn(4) ? 12 : 0.8
    region = GeoRegion(south: south, west: west, north: south + size, east: west + size)
    zoom = random.oneIn(4) ? 0 : Self.apart
    registry?.show(region, zoom: zoom)
  }

  /// Compares the pins with the books, and ends the map.
  ///
  /// A book in the shown region is a pin or in one cluster. The cluster of distant books may be out of
  /// sight.
  func end(_ books: LiveElements<Book>, _ random: inout SplitMix64) async throws {
    registry?.open(.userInteraction)
    await registry?.drain()
    if hasClusters {
      // Every map of clusters pans while it shows all its pins.
      for _ in 0..<2 {
        pan(&random)
        await registry?.drain()
      }
      try await compareClusters(with: books)
    } else {
      try comparePins(with: books)
    }
    registry?.detach()
    registry = nil
    isOver = true
    if let violation { throw Contradiction(description: violation) }
  }

  private func compareClusters(with books: LiveElements<Book>) async throws {
    var shown: [Int] = []
    for pin in pins.values {
      let leaves =
        pin.cluster == nil
        ? [pin.id] : await registry?.leaves(of: pin.id) ?? []
      let ids = leaves.compactMap { registry?.elementID(of: $0) }
      try Contradiction.unless(
        ids.count == pin.cluster?.count ?? 1, "the cluster \(pin) has \(ids)")
      let isPlaced = books.contains { ids.contains($0.id) && $0.coordinate == pin.coordinate }
      try Contradiction.unless(isPlaced, "no book of \(ids) is at \(pin)")
      shown += ids
    }
    try Contradiction.unless(Set(shown).count == shown.count, "the map shows \(shown)")
    if zoom < Self.apart && region.north < 90 { return }
    let visible = books.filter { $0.isIn(region) }.map(\.id)
    try Contradiction.unless(
      Set(visible).isSubset(of: shown), "the map of \(region) shows \(shown), not \(visible)")
  }

  private func comparePins(with books: LiveElements<Book>) throws {
    let shown = pins.values.map { "\($0.id) \($0.coordinate) \($0.title)" }.sorted()
    let expected = books.map {
      "\($0.id) \($0.coordinate) \($0.label)"
    }
    try Contradiction.unless(
      shown == expected.sorted(), "the map shows \(shown), not \(expected.sorted())")
  }
}

extension Book {
  fileprivate var north: Double { Double(first) }
  fileprivate var east: Double { Double(shelfID ?? 10) }
  fileprivate var coordinate: Coordinate { Coordinate(latitude: north, longitude: east) }
  fileprivate func isIn(_ region: GeoRegion) -> Bool {
    region.south <= north && north <= region.north && region.west <= east && east <= region.east
  }
  fileprivate var label: String { "\(slot ?? -1)" }
}
