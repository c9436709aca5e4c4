import Strata

/// The elements of a registry's queries, and the annotations that are wanted of them.
///
/// What is wanted of an element is what the queries have *now*, so that nothing depends on the
/// order in which changes are taken. A few changes are taken in the turn in which they happen. Of
/// many, such as a first load or a reset, the turn takes a reference: they are looked at on another
/// thread, and what comes of it is taken in slices, or goes to the clusters as it is. A few changes
/// meanwhile are taken in their turns, remembered by key, and looked at again.
///
/// One large change is under way at a time; those that come meanwhile wait, and are one together.
/// They are not composed: an element that is looked at as it is now, because another query lost it,
/// is ahead of what waits, and what waits, composed with what comes after, may name it no more. So
/// each says only which elements to look at, as they are when its time has come.
@MainActor final class RegistryElements<E: Entity> {
  private let mapping: AnnotationMapping<E>
  private let attributes: AttributeSet
  private let core: AnnotationDrain
  private let work: SlicedWork
  /// Called in every turn in which the queries' elements change.
  var didChange: @MainActor () -> Void = {}
  /// Where annotations are wanted, instead of in `core`, if they are clustered.
  var display: ClusterDisplay?
  private let context: ViewContext
  private var places: PlacesOfElements<E>?
  private var sources: [ObjectIdentifier: AnnotationSource<E>] = [:]
  /// Whether a large change is under way.
  private(set) var isBehind = false
  /// The large changes that nobody has looked at yet.
  private var waiting: [KeyedDifference<E>] = []
  /// What a few changes were of since somebody did.
  private var changedMeanwhile: Set<RecordKey> = []
  private var isOver = false
  private let settling = Settling()

  /// So many changes are taken at once.
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
      places = PlacesOfElements(related, in: live.context) { [weak self] in self?.refresh($0) }
    }
  }

  // MARK: What there is

  func contains(_ id: RecordKey) -> Bool {
    sources.values.contains { $0.live.rows.contains(id) }
  }

  private func element(of id: RecordKey) -> E? {
    sources.values.lazy.compactMap { $0.live.rows.element(of: id) }.first
  }

  /// The annotation that is wanted of an id.
  func annotation(of id: RecordKey) -> Annotation? {
    element(of: id).flatMap { annotation(for: $0, id) }
  }

  private func annotation(for element: E, _ id: RecordKey) -> Annotation? {
    guard let places else { return mapping.annotation(for: element, id: id) }
    return mapping.annotation(for: element, id: id, at: places.coordinate(for: element))
  }

  /// Whether every change so far has been taken.
  var isSettled: Bool { !isBehind && work.isIdle && places?.isSettled != false }

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

  /// Ends a query, as soon as every other one has been read.
  func detach(_ live: LiveQuery<E>) {
    sources[ObjectIdentifier(live)]?.isLeaving = true
    endThoseLeaving()
  }

  private func endThoseLeaving() {
    if sources.values.contains(where: { !$0.isLeaving && $0.isAwaited }) { return }
    for (name, source) in sources where source.isLeaving {
      // The end of one is a turn that ends the others.
      guard sources[name] === source else { continue }
      sources[name] = nil
      source.observation?.cancel()
      merge(source.live.disappearance)
    }
  }

  func end() {
    isOver = true
    for source in sources.values { source.observation?.cancel() }
    sources = [:]
    waiting = []
    places = nil
    work.end()
    settling.resumeAll()
  }

  /// Waits until every change so far has been taken.
  func settle() async {
    await places?.settle()
    while isBehind && !isOver && !Task.isCancelled {
      await settling.wait { isBehind && !isOver }
    }
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

  /// Takes an element as it is now, and again behind the large change that is under way.
  private func refresh(_ id: RecordKey, _ element: E?) {
    if isBehind { changedMeanwhile.insert(id) }
    take(id, element)
  }

  private func take(_ id: RecordKey, _ element: E?) {
    places?.note(element, id)
    want(id, element.flatMap { annotation(for: $0, id) })
  }

  private func want(_ id: RecordKey, _ annotation: Annotation?) {
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

  /// Looks at some elements again.
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
    waiting.append(difference)
    if !isBehind {
      isBehind = true
      takeWaiting()
    }
    turnEnded()
  }

  private func takeWaiting() {
    // Detached, so that whoever looks lets go of the old versions, too.
    Task.detached { [weak self] in
      guard let change = await self?.popWaiting() else { return }
      let wanted = change.wanted
      await self?.take(wanted)
    }
  }

  /// Takes everything that waits, in a turn of its own: every query has what it has after the last
  /// commit, and none what it had before.
  private func popWaiting() -> LargeChange<E> {
    defer { waiting = [] }
    return LargeChange(
      differences: waiting, rows: sources.values.map(\.live.rows), mapping: mapping,
      attributes: attributes)
  }

  private func take(_ wanted: WantedElements) {
    guard !isOver && core.isObserving() else { return }
    core.suppress(wanted.unchanged)
    if let display, places == nil {
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
      for (id, annotation) in part where !changedMeanwhile.contains(id) {
        if places == nil { want(id, annotation) } else { take(id, element(of: id)) }
      }
      return true
    }
  }

  private func didTake() {
    // Also those that the large change does not name: it may have changed them back.
    refresh(Array(changedMeanwhile)) { [weak self] in
      guard let self else { return }
      changedMeanwhile = []
      guard waiting.isEmpty else { return takeWaiting() }
      isBehind = false
      settling.resumeAll()
    }
  }
}

/// A live query that a registry observes.
@MainActor private final class AnnotationSource<E: Entity> {
  /// Held, so that it lives as long as it is observed.
  let live: LiveQuery<E>
  var observation: LiveObservation?
  /// It was detached, and is shown until every other one has been read.
  var isLeaving = false

  init(_ live: LiveQuery<E>) { self.live = live }

  var isAwaited: Bool { !live.isLoaded && live.error == nil }
}
