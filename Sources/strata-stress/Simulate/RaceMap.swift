import Strata
import StrataMap

/// A map of the books, whose gate closes and opens while others commit.
@MainActor
final class RaceMap: AnnotationSurface {
  private var pins: [RecordKey: SurfaceAnnotation] = [:]
  private var violation: String?
  private var registry: AnnotationRegistry<Book>?
  private var isOver = false

  init(_ books: LiveQuery<Book>, _ random: inout SplitMix64) {
    let mapping = AnnotationMapping<Book>(latitude: \.latitude, longitude: \.longitude)
      .title(\.label)
    registry = AnnotationRegistry(
      books, mapping: mapping, on: self, sliceBudget: random.oneIn(2) ? .zero : .milliseconds(4))
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

  /// Closes or opens the gate.
  func step(_ random: inout SplitMix64) {
    switch random.below(3) {
    case 0: registry?.close(.userInteraction)
    default: registry?.open(.userInteraction)
    }
  }

  /// Compares the pins with the books, and ends the map.
  func end(_ books: LiveElements<Book>) async throws {
    registry?.open(.userInteraction)
    await registry?.drain()
    let shown = pins.values.map { "\($0.id) \($0.coordinate) \($0.title)" }.sorted()
    let expected = books.map {
      let coordinate = Coordinate(latitude: $0.latitude, longitude: $0.longitude)
      return "\($0.id) \(coordinate) \($0.label)"
    }
    try Contradiction.unless(
      shown == expected.sorted(), "the map shows \(shown), not \(expected.sorted())")
    registry?.detach()
    registry = nil
    isOver = true
    if let violation { throw Contradiction(description: violation) }
  }
}

extension Book {
  fileprivate var latitude: Double { Double(first) }
  fileprivate var longitude: Double { Double(shelfID ?? 10) }
  fileprivate var label: String { "\(slot ?? -1)" }
}
