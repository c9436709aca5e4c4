import Strata

/// An index from related entities to the elements of a registry that have their coordinates.
@MainActor final class RelatedElements<E: Entity> {
  private let related: RelatedPlace<E>
  /// The key of the related entity of each element.
  private var relatedKeys: [RecordKey: RecordKey] = [:]
  /// The elements of each related entity.
  private var elements: [RecordKey: Set<RecordKey>] = [:]
  private var observation: RelatedPlace<E>.Observation?

  /// - Parameter moved: called with the elements whose coordinates have changed.
  init(
    _ related: RelatedPlace<E>, in view: ViewContext,
    moved: @escaping @MainActor ([RecordKey]) -> Void
  ) {
    self.related = related
    observation = related.observe(view) { [weak self] keys in
      guard let self else { return }
      let elements = keys.flatMap { self.elements[$0] ?? [] }
      if !elements.isEmpty { moved(elements) }
    }
  }

  /// Whether every change of the related entities so far has been reported.
  var isSettled: Bool { observation?.isSettled() ?? true }

  /// Waits until the related entities are read.
  func settle() async { await observation?.settle() }

  /// Records the reference of an element that was inserted or updated; nil removes the element.
  func note(_ element: E?, _ id: RecordKey) {
    let key = element.flatMap(related.key)
    let old = relatedKeys[id]
    guard old != key else { return }
    relatedKeys[id] = key
    if let old {
      elements[old]?.remove(id)
      if elements[old]?.isEmpty == true { elements[old] = nil }
    }
    if let key { elements[key, default: []].insert(id) }
  }

  /// Returns the coordinate of an element.
  func coordinate(for element: E) -> Coordinate? {
    related.key(element).flatMap { observation?.coordinate($0) }
  }
}
