import Strata

/// The elements of a registry whose coordinates are those of related entities, and these coordinates.
@MainActor final class PlacesOfElements<E: Entity> {
  private let related: RelatedPlace<E>
  private let mapping: AnnotationMapping<E>
  private var coordinates: [RecordKey: Coordinate] = [:]
  private var placeOfElement: [RecordKey: RecordKey] = [:]
  private var elementsOfPlace: [RecordKey: [RecordKey: E]] = [:]
  private var observation: RelatedPlace<E>.Observation?

  /// - Parameter moved: called with the annotations of elements whose places have changed.
  init(
    _ related: RelatedPlace<E>, _ mapping: AnnotationMapping<E>, in view: ViewContext,
    moved: @escaping @MainActor ([(RecordKey, Annotation?)]) -> Void
  ) {
    self.related = related
    self.mapping = mapping
    observation = related.observe(view) { [weak self] places in
      guard let self else { return }
      let changes = places.flatMap { change(of: $0.key, to: $0.coordinate) }
      if !changes.isEmpty { moved(changes) }
    }
  }

  /// Waits until the related entities are read.
  func settle() async { await observation?.settle() }

  /// An element has come or has changed; answers its annotation.
  func put(_ element: E, _ id: RecordKey) -> Annotation? {
    remove(id)
    guard let place = related.key(element) else { return nil }
    placeOfElement[id] = place
    elementsOfPlace[place, default: [:]][id] = element
    return mapping.annotation(for: element, id: id, at: coordinates[place])
  }

  /// An element is gone.
  func remove(_ id: RecordKey) {
    guard let place = placeOfElement.removeValue(forKey: id) else { return }
    elementsOfPlace[place]?[id] = nil
    if elementsOfPlace[place]?.isEmpty == true { elementsOfPlace[place] = nil }
  }

  private func change(
    of place: RecordKey, to coordinate: Coordinate?
  ) -> [(RecordKey, Annotation?)] {
    coordinates[place] = coordinate
    return (elementsOfPlace[place] ?? [:]).map { id, element in
      (id, mapping.annotation(for: element, id: id, at: coordinate))
    }
  }
}
