public import Strata

// The registry's questions and selections by the ids of its entity, where others use keys of any.

extension AnnotationRegistry {
  /// The id of the element that a key identifies, such as ``Annotation/id``; nil if it is none of
  /// this entity.
  public func elementID(of key: RecordKey) -> E.ID? { try? E.ID(cell: key.cell) }

  /// The ids of the selected elements, in the order in which they were selected.
  public var selectedIDs: [E.ID] { selection.compactMap(elementID) }

  /// Whether an element is selected.
  public func isSelected(_ id: E.ID) -> Bool { id.recordKey.map(selection.contains) ?? false }

  /// Selects an element's annotation; answers whether a query has the element.
  @discardableResult
  public func select(_ id: E.ID) -> Bool { id.recordKey.map { select($0) } ?? false }

  /// Ends the selection of an element's annotation.
  public func deselect(_ id: E.ID) {
    if let key = id.recordKey { deselect(key) }
  }

  /// The annotation that the surface shows for an element now: its own, or that of the cluster it
  /// is in; nil if neither is shown, because it is not in view, withheld, or still to come.
  public func displayed(for id: E.ID) async -> Annotation? {
    guard let key = id.recordKey else { return nil }
    return await displayed(for: key)
  }

  /// The ids of the elements that the annotation with an element's id stands for, in an order that
  /// depends on the set of elements alone.
  ///
  /// - Parameters:
  ///   - id: of the element that the annotation is named after.
  ///   - offset: how many to pass over.
  ///   - limit: how many to return at most.
  public func leaves(of id: E.ID, from offset: Int = 0, limit: Int = 100) async -> [E.ID] {
    guard let key = id.recordKey else { return [] }
    return await leaves(of: key, from: offset, limit: limit).compactMap(elementID)
  }

  /// The least zoom level at which the cluster with an element's id comes apart; nil if it never
  /// does, or there is no such cluster.
  public func expansionZoom(of id: E.ID) async -> Int? {
    guard let key = id.recordKey else { return nil }
    return await expansionZoom(of: key)
  }

  /// The least zoom level at which an element is displayed by itself: where a map has to go to
  /// reveal it. Nil if no query has the element.
  public func reveal(_ id: E.ID) async -> Int? {
    guard let key = id.recordKey else { return nil }
    return await reveal(key)
  }
}
