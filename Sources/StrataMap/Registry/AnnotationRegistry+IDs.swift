public import Strata

// The registry's queries and selections with ids of its entity, in place of untyped keys.

extension AnnotationRegistry {
  /// Returns the element id that a key such as ``SurfaceAnnotation/id`` identifies.
  ///
  /// The result is nil if the key is no key of this entity.
  public func elementID(of key: RecordKey) -> E.ID? { try? E.ID(cell: key.cell) }

  /// The ids of the selected elements, in the order in which they were selected.
  public var selectedIDs: [E.ID] { selection.compactMap(elementID) }

  /// Whether an element is selected.
  public func isSelected(_ id: E.ID) -> Bool { id.recordKey.map(selection.contains) ?? false }

  /// Selects an element's annotation, and returns whether a query has the element.
  @discardableResult
  public func select(_ id: E.ID) -> Bool { id.recordKey.map { select($0) } ?? false }

  /// Ends the selection of an element's annotation.
  public func deselect(_ id: E.ID) {
    if let key = id.recordKey { deselect(key) }
  }

  /// Returns the annotation that the surface shows for an element: its own or that of its cluster.
  ///
  /// The result is nil if neither is shown, because it is not in view, withheld, or still to be
  /// delivered.
  public func displayed(for id: E.ID) async -> SurfaceAnnotation? {
    guard let key = id.recordKey else { return nil }
    return await displayed(for: key)
  }

  /// Returns the ids of the elements that the annotation with an element's id stands for.
  ///
  /// The order of the ids depends only on the set of elements.
  ///
  /// - Parameters:
  ///   - id: The id of the element whose id the annotation has.
  ///   - offset: The number of ids to skip.
  ///   - limit: The maximum number of ids to return.
  public func leaves(of id: E.ID, from offset: Int = 0, limit: Int = 100) async -> [E.ID] {
    guard let key = id.recordKey else { return [] }
    return await leaves(of: key, from: offset, limit: limit).compactMap(elementID)
  }

  /// Returns the least zoom level at which the cluster with an element's id comes apart.
  ///
  /// The result is nil if there is no such cluster; see ``expansionZoom(of:)-(RecordKey)``.
  public func expansionZoom(of id: E.ID) async -> Int? {
    guard let key = id.recordKey else { return nil }
    return await expansionZoom(of: key)
  }

  /// Returns the least zoom level at which an element is displayed by itself: the zoom that reveals
  /// it.
  ///
  /// The result is nil if no query has the element.
  public func reveal(_ id: E.ID) async -> Int? {
    guard let key = id.recordKey else { return nil }
    return await reveal(key)
  }
}
