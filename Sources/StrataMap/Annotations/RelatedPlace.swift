package import Strata

/// How an entity refers to the one that has its coordinate.
package struct RelatedPlace<E: Entity>: Sendable {
  /// What tells the coordinates of related entities, by their keys, in the turns in which they change.
  typealias Observer = @MainActor ([(key: RecordKey, coordinate: Coordinate?)]) -> Void

  let path: any PartialKeyPath<E> & Sendable
  /// The key of the related entity; nil if there is none.
  let key: @Sendable (E) -> RecordKey?
  /// Observes all related entities as long as what it returns is held.
  let observe: @MainActor @Sendable (ViewContext, @escaping Observer) -> Observation

  /// Observes as long as it is held.
  struct Observation {
    let held: AnyObject
    /// Waits until the entities are read.
    let settle: @MainActor () async -> Void
  }

  init<Target: Entity>(
    _ path: any KeyPath<E, Target.ID?> & Sendable, _ mapping: AnnotationMapping<Target>
  ) {
    self.path = path
    key = { entity in
      guard let id = entity[keyPath: path], let cell = try? id.cell else { return nil }
      return RecordKey(cell)
    }
    observe = { view, observer in
      let live = view.live(Target.all)
      return Observation(held: PlaceObservation(live, mapping, observer)) {
        try? await live.load()
      }
    }
  }
}

/// Tells the coordinates of all entities of a live query.
@MainActor private final class PlaceObservation<Target: Entity> {
  private let live: LiveQuery<Target>
  private var observation: LiveObservation?

  init(
    _ live: LiveQuery<Target>, _ mapping: AnnotationMapping<Target>,
    _ observer: @escaping @MainActor ([(key: RecordKey, coordinate: Coordinate?)]) -> Void
  ) {
    self.live = live
    let attributes = live.attributes(mapping.coordinatePaths)
    observation = live.observeKeys { changes in
      let moved = changes.filter { $0.changes(attributes) }.map {
        (key: $0.key, coordinate: $0.after.flatMap(mapping.coordinate))
      }
      if !moved.isEmpty { observer(moved) }
    }
  }
}
