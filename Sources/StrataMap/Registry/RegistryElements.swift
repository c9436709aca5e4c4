import Strata

/// The elements of a registry's queries, and the annotations that follow from them.
///
/// The wanted annotation of an element follows from the *present* rows of the queries, so that the
/// order in which changes are processed does not matter. A few changes are processed in the turn in
/// which they happen. Of a large change, such as a first load or a reset, the turn keeps a
/// reference: another thread makes the annotations. The main actor then takes them in slices, or
/// passes them whole to the clusters. A few changes that happen meanwhile are processed in their
/// turns, remembered by key, and processed again afterwards.
///
/// Large changes are processed one at a time. Later large changes wait, and are then processed
/// together. They are not composed. An element may already have been processed ahead of the waiting
/// changes, because another query lost it. A waiting change that is composed with a later change
/// might no longer name that element. So each waiting change says only which elements to process,
/// and they are processed as they are at that time.
@MainActor final class RegistryElements<E: Entity> {
  private let mapping: AnnotationMapping<E>
  private let attributes: AttributeSet
  private let core: AnnotationDrain
  private let work: SlicedWork
  private var didChange: @MainActor () -> Void = {}
  /// The receiver of the annotations, in place of `core`, if they are clustered.
  private var display: ClusterDisplay?
  private let context: ViewContext
  private var relatedElements: RelatedElements<E>?
  private var sources: [ObjectIdentifier: AnnotationSource<E>] = [:]
  private var large = LargeChanges<E>()
  private let waiters = Waiters()

  /// The maximum number of changes that are processed in the turn in which they happen.
  private static var atOnce: Int { 256 }

  init(
    of live: LiveQuery<E>, _ mapping: AnnotationMapping<E>, _ core: AnnotationDrain,
    _ work: SlicedWork
  ) {
    self.mapping = mapping
    self.core = core
    self.work = work
    context = live.context
    attributes = live.attributes(mapping.keyPaths)
    if let related = mapping.relatedPlace {
      relatedElements = RelatedElements(related, in: live.context) { [weak self] in
        self?.refresh($0)
      }
    }
  }

  /// Sets the receiver of the annotations, because they are clustered.
  func show(through display: ClusterDisplay) { self.display = display }

  /// Sets the closure that is called in every turn in which the elements of the queries change.
  func onChange(_ body: @escaping @MainActor () -> Void) { didChange = body }

  // MARK: Elements

  func contains(_ id: RecordKey) -> Bool {
    sources.values.contains { $0.live.rows.contains(id) }
  }

  private func element(of id: RecordKey) -> E? {
    sources.values.lazy.compactMap { $0.live.rows.element(of: id) }.first
  }

  /// Returns the annotation that is wanted for an id.
  func annotation(of id: RecordKey) -> SurfaceAnnotation? {
    element(of: id).flatMap { annotation(for: $0, id) }
  }

  private func annotation(for element: E, _ id: RecordKey) -> SurfaceAnnotation? {
    guard let relatedElements else { return mapping.annotation(for: element, id: id) }
    return mapping.annotation(for: element, id: id, at: relatedElements.coordinate(for: element))
  }

  /// Whether a large change is being processed.
  var isBehind: Bool { large.state == .behind }

  /// Whether every change so far has been processed.
  var isSettled: Bool { !isBehind && work.isIdle && relatedElements?.isSettled != false }

  // MARK: Queries

  func attach(_ live: LiveQuery<E>) {
    let name = ObjectIdentifier(live)
    if let source = sources[name] {
      source.isLeaving = false
      return
    }
    let source = AnnotationSource(live)
    sources[name] = source
    source.observation = live.observeKeys { [weak self] in self?.merge($0) }
    if !live.rows.isEmpty { merge(live.appearance) }
  }

  /// Detaches a query as soon as every other query has been read.
  func detach(_ live: LiveQuery<E>) {
    sources[ObjectIdentifier(live)]?.isLeaving = true
    endThoseLeaving()
  }

  private func endThoseLeaving() {
    if sources.values.contains(where: { !$0.isLeaving && $0.isAwaited }) { return }
    for (name, source) in sources where source.isLeaving {
      // The end of a query runs a turn, which may end other queries.
      guard sources[name] === source else { continue }
      sources[name] = nil
      source.observation?.cancel()
      merge(source.live.disappearance)
    }
  }

  func end() {
    large.end()
    for source in sources.values { source.observation?.cancel() }
    sources = [:]
    relatedElements = nil
    work.end()
    waiters.resumeAll()
  }

  /// Waits until every change so far has been processed.
  func settle() async {
    await relatedElements?.settle()
    await waiters.waitUntilCancelled { isBehind }
    await work.settle()
  }

  // MARK: A few changes

  private func merge(_ difference: KeyedDifference<E>) {
    guard core.isObserving() else { return }
    if difference.limit > Self.atOnce { return takeLater(difference) }
    difference.forEach { change in
      guard change.changes(attributes) else { return core.suppress(1) }
      refresh(change.key, change.after ?? element(of: change.key))
    }
    turnEnded()
  }

  /// Processes the present state of an element, and again after the large change in progress.
  private func refresh(_ id: RecordKey, _ element: E?) {
    large.note(id)
    take(id, element)
  }

  private func take(_ id: RecordKey, _ element: E?) {
    relatedElements?.note(element, id)
    want(id, element.flatMap { annotation(for: $0, id) })
  }

  private func want(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
    if let display { display.want(id, annotation) } else { core.desire(id, annotation) }
  }

  private func turnEnded() {
    context.afterChange(of: self) { [weak self] in
      guard let self else { return }
      endThoseLeaving()
      didChange()
      display?.turnEnded()
    }
  }

  /// Processes the present state of some elements again.
  private func refresh(_ ids: [RecordKey], then end: @escaping @MainActor () -> Void = {}) {
    guard ids.count > Self.atOnce else {
      for id in ids { take(id, element(of: id)) }
      turnEnded()
      return end()
    }
    var rest = ids[...]
    work.add { [weak self] in
      guard let self else { return false }
      for id in rest.prefix(WantedElements.partSize) { take(id, element(of: id)) }
      rest = rest.dropFirst(WantedElements.partSize)
      if !rest.isEmpty { return true }
      turnEnded()
      end()
      return false
    }
  }

  // MARK: Many changes

  private func takeLater(_ difference: KeyedDifference<E>) {
    if large.add(difference) { takeWaiting() }
    turnEnded()
  }

  private func takeWaiting() {
    // Detached, so that the old rows are also released off the main actor.
    Task.detached { [weak self] in
      guard let change = await self?.popWaiting() else { return }
      let wanted = change.wanted
      await self?.take(wanted)
    }
  }

  /// Takes all waiting changes, in a turn of its own.
  ///
  /// In that turn every query has its rows after the last commit, and no query still has earlier
  /// rows.
  private func popWaiting() -> LargeChange<E> {
    LargeChange(
      differences: large.takeWaiting(), rows: sources.values.map(\.live.rows), mapping: mapping,
      attributes: attributes)
  }

  private func take(_ wanted: WantedElements) {
    guard large.state != .over && core.isObserving() else { return }
    core.suppress(wanted.unchanged)
    if let display, relatedElements == nil {
      display.want(wanted)
      return didTake()
    }
    if display == nil { core.reserve(wanted.count) }
    var rest = wanted
    work.add { [weak self] in
      guard let self else { return false }
      guard let part = rest.popPart() else {
        didTake()
        return false
      }
      for (id, annotation) in part where !large.changedMeanwhile.contains(id) {
        if relatedElements == nil { want(id, annotation) } else { take(id, element(of: id)) }
      }
      return true
    }
  }

  private func didTake() {
    // This includes keys that the large change does not name: it may have changed those elements
    // back.
    refresh(Array(large.changedMeanwhile)) { [weak self] in
      guard let self else { return }
      if large.didProcess() { takeWaiting() } else { waiters.resumeAll() }
    }
  }
}

/// A live query that a registry observes.
@MainActor private final class AnnotationSource<E: Entity> {
  /// Retained, so that the query lives as long as it is observed.
  let live: LiveQuery<E>
  var observation: LiveObservation?
  /// Whether the query was detached. Its elements are shown until every other query has been read.
  var isLeaving = false

  init(_ live: LiveQuery<E>) { self.live = live }

  var isAwaited: Bool { !live.isLoaded && live.error == nil }
}
