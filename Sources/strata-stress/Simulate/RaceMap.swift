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
  private static let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)

  init(_ books: LiveQuery<Book>, _ random: inout SplitMix64) {
    hasClusters = random.oneIn(3)
    let mapping = AnnotationMapping<Book>(latitude: \.north, longitude: \.east).title(\.label)
    let clusters = hasClusters ? ClusterOptions() : nil
    registry = AnnotationRegistry(
      books, mapping: mapping, on: self, clusters: clusters,
      sliceBudget: random.oneIn(2) ? .zero : .milliseconds(4))
    if hasClusters { registry?.show(Self.world, zoom: 0) }
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

  /// Closes or opens the gate, or shows clusters of another size.
  func step(_ random: inout SplitMix64) {
    switch random.below(4) {
    case 0: registry?.close(.userInteraction)
    case 1 where hasClusters: registry?.show(Self.world, zoom: Double(random.below(12)))
    default: registry?.open(.userInteraction)
    }
  }

  /// Compares the pins with the books, and ends the map.
  ///
  /// Clusters and single pins have all books between them.
  func end(_ books: LiveElements<Book>) async throws {
    registry?.open(.userInteraction)
    await registry?.drain()
    if hasClusters {
      let counts = pins.values.map { $0.cluster?.count ?? 1 }
      try Contradiction.unless(
        counts.reduce(0, +) == books.count, "the map has \(counts) of \(books.count) books")
    } else {
      try comparePins(with: books)
    }
    registry?.detach()
    registry = nil
    isOver = true
    if let violation { throw Contradiction(description: violation) }
  }

  private func comparePins(with books: LiveElements<Book>) throws {
    let shown = pins.values.map { "\($0.id) \($0.coordinate) \($0.title)" }.sorted()
    let expected = books.map {
      let coordinate = Coordinate(latitude: $0.north, longitude: $0.east)
      return "\($0.id) \(coordinate) \($0.label)"
    }
    try Contradiction.unless(
      shown == expected.sorted(), "the map shows \(shown), not \(expected.sorted())")
  }
}

extension Book {
  fileprivate var north: Double { Double(first) }
  fileprivate var east: Double { Double(shelfID ?? 10) }
  fileprivate var label: String { "\(slot ?? -1)" }
}
