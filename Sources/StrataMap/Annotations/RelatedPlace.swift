package import Strata

/// A reference from an entity to the related entity that has its coordinate.
package struct RelatedPlace<E: Entity>: Sendable {
  /// Called with the keys of related entities whose coordinates have changed.
  typealias Observer = @MainActor ([RecordKey]) -> Void

  let path: any PartialKeyPath<E> & Sendable
  /// Returns the key of the related entity; nil if there is none.
  let key: @Sendable (E) -> RecordKey?
  /// Starts observing all related entities, for as long as the caller holds the result.
  let observe: @MainActor @Sendable (ViewContext, @escaping Observer) -> Observation

  /// An observation that lasts as long as it is held.
  struct Observation {
    let held: AnyObject
    /// Returns the present coordinate of a related entity.
    let coordinate: @MainActor (RecordKey) -> Coordinate?
    /// Whether every change so far has been reported.
    let isSettled: @MainActor () -> Bool
    /// Waits until the entities are read.
    let settle: @MainActor () async -> Void
  }

  init<Target: Entity>(
    _ path: any KeyPath<E, Target.ID?> & Sendable, _ mapping: AnnotationMapping<Target>
  ) {
    self.path = path
    key = { $0[keyPath: path]?.recordKey }
    observe = { view, observer in
      let observation = PlaceObservation(view.live(Target.all), mapping, observer)
      return Observation(
        held: observation, coordinate: { [weak observation] in observation?.coordinate($0) },
        isSettled: { [weak observation] in observation?.isSettled ?? true },
        settle: { [weak observation] in await observation?.settle() })
    }
  }
}

/// Reports the entities of a live query whose coordinates have changed.
@MainActor private final class PlaceObservation<Target: Entity> {
  private let live: LiveQuery<Target>
  private let mapping: AnnotationMapping<Target>
  private let observer: @MainActor ([RecordKey]) -> Void
  private var observation: LiveObservation?
  /// The number of large changes that are being processed.
  private var lookingAt = 0
  private let waiters = Waiters()

  init(
    _ live: LiveQuery<Target>, _ mapping: AnnotationMapping<Target>,
    _ observer: @escaping @MainActor ([RecordKey]) -> Void
  ) {
    self.live = live
    self.mapping = mapping
    self.observer = observer
    let attributes = live.attributes(mapping.coordinatePaths)
    observation = live.observeKeys { [weak self] in self?.look(at: $0, attributes) }
    if !live.rows.isEmpty { look(at: live.appearance, attributes) }
  }

  func coordinate(_ key: RecordKey) -> Coordinate? {
    live.rows.element(of: key).flatMap(mapping.coordinate)
  }

  var isSettled: Bool { lookingAt == 0 }

  func settle() async {
    try? await live.waitUntilLoaded()
    await waiters.waitUntilCancelled { !isSettled }
  }

  private func look(at difference: KeyedDifference<Target>, _ attributes: AttributeSet) {
    if difference.limit <= 256 { return report(Self.moved(difference, attributes)) }
    lookingAt += 1
    Task.detached { [weak self] in
      let moved = Self.moved(difference, attributes)
      await self?.didLook(moved)
    }
  }

  private func didLook(_ moved: [RecordKey]) {
    report(moved)
    lookingAt -= 1
    if isSettled { waiters.resumeAll() }
  }

  private func report(_ moved: [RecordKey]) {
    if !moved.isEmpty { observer(moved) }
  }

  nonisolated private static func moved(
    _ difference: KeyedDifference<Target>, _ attributes: AttributeSet
  ) -> [RecordKey] {
    var moved: [RecordKey] = []
    difference.forEach { if $0.changes(attributes) { moved.append($0.key) } }
    return moved
  }
}
