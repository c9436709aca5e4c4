import Strata

/// An index from related entities to the elements of a registry that have their coordinates.
@MainActor final class PlacesOfElements<E: Entity> {
  private let related: RelatedPlace<E>
  private var placeOfElement: [RecordKey: RecordKey] = [:]
  private var elementsOfPlace: [RecordKey: Set<RecordKey>] = [:]
  private var observation: RelatedPlace<E>.Observation?

  /// - Parameter moved: called with the elements whose coordinates have changed.
  init(
    _ related: RelatedPlace<E>, in view: ViewContext,
    moved: @escaping @MainActor ([RecordKey]) -> Void
  ) {
    self.related = related
    observation = related.observe(view) { [weak self] places in
      guard let self else { return }
      let elements = places.flatMap { self.elementsOfPlace[$0] ?? [] }
      if !elements.isEmpty { moved(elements) }
    }
  }

  /// Whether every change of the related entities so far has been reported.
  var isSettled: Bool { observation?.isSettled() ?? true }

  /// Waits until the related entities are read.
  func settle() async { await observation?.settle() }

  /// Records the reference of an element that was inserted or updated; nil removes the element.
  func note(_ element: E?, _ id: RecordKey) {
    let place = element.flatMap(related.key)
    let old = placeOfElement[id]
    guard old != place else { return }
    placeOfElement[id] = place
    if let old {
      elementsOfPlace[old]?.remove(id)
      if elementsOfPlace[old]?.isEmpty == true { elementsOfPlace[old] = nil }
    }
    if let place { elementsOfPlace[place, default: []].insert(id) }
  }

  /// Returns the coordinate of an element.
  func coordinate(for element: E) -> Coordinate? {
    related.key(element).flatMap { observation?.coordinate($0) }
  }
}
