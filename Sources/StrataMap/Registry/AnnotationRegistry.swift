public import Observation
public import Strata

/// Keeps the annotations of a map equal to a live query.
///
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: mapView)
///
/// Every change of the query that touches an attribute of the mapping becomes the fewest operations
/// that show it; a change that touches none becomes none. Operations wait in a queue with at most
/// one entry per id, and are delivered one by one in turns of their own: never inside a change of
/// the query, never inside a call to ``open(_:)``, and not while a reason keeps the gate closed.
/// Deletes go first, then updates on screen, then insertions, then what is off screen.
///
/// Several queries of one entity can be shown by one registry, and be attached and detached at any
/// time: an element is shown while one of them has it, and only differences become operations.
///
/// With ``ClusterOptions`` the annotations are clustered: <doc:Clusters>.
///
/// The registry keeps its queries alive until it is detached or released, and the surface not at
/// all: a surface that goes away ends the registry as ``detach()`` does. An element without a valid
/// coordinate is withheld until it has one.
///
/// A large queue is delivered in slices, so that the main actor stays free for others in between; a
/// slice delivers at least one operation and ends at the first after its budget. A change of more
/// than 256 elements at once, such as a first load, is looked at on another thread before that.
///
/// `Observable`: reading ``selection``, ``isGateOpen``, ``counters``, ``pendingOperationCount``,
/// ``shownCount`` or ``annotations`` in a SwiftUI body or in `withObservationTracking` is enough.
/// Numbers that change are told of once a slice, in the turn after it.
@MainActor public final class AnnotationRegistry<E: Entity>: Observable {
  private let registrar = ObservationRegistrar()
  private let core: AnnotationDrain
  private let elements: RegistryElements<E>
  private let display: ClusterDisplay?
  private var regional: RegionalQuery<E>?
  private var selected: [RecordKey] = []

  /// Starts showing the elements of a live query on a surface.
  ///
  /// - Parameters:
  ///   - live: The elements; those it has already are added in a later turn. More queries can be
  ///     attached, and this one detached. One made with `reading:` has to read all that the mapping
  ///     does: of other changes it tells nobody.
  ///   - mapping: Which attributes make an annotation.
  ///   - surface: Where to show them, held weakly. Only one registry should use it.
  ///   - clusters: How they are clustered; nil for not at all. Until ``show(_:zoom:)`` is called,
  ///     the whole world is shown at zoom level 0.
  ///   - sliceBudget: How long the main actor may be occupied at a time; not negative.
  ///   - clock: What the budget is measured with.
  public init(
    _ live: LiveQuery<E>, mapping: AnnotationMapping<E>, on surface: any AnnotationSurface,
    clusters: ClusterOptions? = nil, sliceBudget: Duration = .milliseconds(4),
    clock: some Clock<Duration> = ContinuousClock()
  ) {
    let core = AnnotationDrain(on: surface, sliceBudget: sliceBudget, clock: clock)
    let work = SlicedWork(budget: sliceBudget, clock: clock)
    self.core = core
    let elements = RegistryElements(of: live, mapping, core, work)
    self.elements = elements
    display = clusters.map { options in
      ClusterDisplay(options, mapping.combinations, work: work) { [weak elements] id in
        elements?.annotation(of: id)
      } desire: { [weak core] id, annotation in
        core?.desire(id, annotation)
      }
    }
    elements.display = display
    core.onDetach = { [weak self] in self?.stopObserving() }
    core.onGateChange = { [weak self] in self?.didChange(\.isGateOpen) }
    core.onCount = { [weak self] in self?.didChange(\.counters) }
    elements.didChange = { [weak self] in self?.pruneSelection() }
    attach(live)
  }

  /// Starts showing, of elements that are too many for the memory, those in the visible region.
  ///
  ///     let registry = AnnotationRegistry(
  ///       in: stack.view, showing: region, mapping: Quake.pins, on: surface
  ///     ) { region in Quake.where { $0.location.isIn(region) } }
  ///
  /// The query is run for the visible region with half of it more on every side, and again, for
  /// another region, when ``show(_:zoom:)`` tells of one that is not in it, or that is much
  /// smaller. Until that result is there, the old one stays. What both have is not touched.
  ///
  /// With clusters, those at the edge of the region count only what is in it.
  ///
  /// - Parameters:
  ///   - view: Where the query is run.
  ///   - region: What the map shows; ``show(_:zoom:)`` tells what it shows later.
  ///   - mapping: Which attributes make an annotation.
  ///   - surface: Where to show them, held weakly. Only one registry should use it.
  ///   - clusters: How they are clustered; nil for not at all.
  ///   - sliceBudget: How long the main actor may be occupied at a time; not negative.
  ///   - clock: What the budget is measured with.
  ///   - query: The elements in a region; with a spatial index, their number is all that counts.
  public convenience init(
    in view: ViewContext, showing region: GeoRegion, mapping: AnnotationMapping<E>,
    on surface: any AnnotationSurface, clusters: ClusterOptions? = nil,
    sliceBudget: Duration = .milliseconds(4), clock: some Clock<Duration> = ContinuousClock(),
    query: @escaping @MainActor (GeoRegion) -> Query<E>
  ) {
    let regional = RegionalQuery(view, region, query)
    self.init(
      regional.live, mapping: mapping, on: surface, clusters: clusters, sliceBudget: sliceBudget,
      clock: clock)
    self.regional = regional
  }

  // MARK: Queries

  /// Shows the elements of one more query; nothing happens if it is attached already.
  public func attach(_ live: LiveQuery<E>) {
    guard !core.isDetached else { return }
    elements.attach(live)
  }

  /// Shows the elements of a query no more, except those that another attached query has.
  ///
  /// To replace one query by another, attach the new one first: what both have stays as it is.
  /// While an attached query is being read for the first time, the elements of the detached one are
  /// still shown.
  public func detach(_ live: LiveQuery<E>) { elements.detach(live) }

  /// Why what is around the visible region could not be read; nil if it could.
  ///
  /// Until it can, the map shows what was read before. It is tried again when ``show(_:zoom:)`` is
  /// called.
  public var regionError: StoreError? { regional?.live.error }

  // MARK: Selection

  /// The ids of what is selected, in the order in which it was.
  ///
  /// A selected annotation stays selected while it moves, changes its looks, waits, or is in a
  /// cluster, and until no query has its element.
  public var selection: [RecordKey] {
    registrar.access(self, keyPath: \.selection)
    return selected
  }

  /// Selects an annotation; answers whether there is an element with its id.
  @discardableResult
  public func select(_ id: RecordKey) -> Bool {
    guard elements.contains(id) else { return false }
    if !selected.contains(id) { changeSelection(to: selected + [id]) }
    return true
  }

  /// Ends the selection of an annotation.
  public func deselect(_ id: RecordKey) { changeSelection(to: selected.filter { $0 != id }) }

  /// Ends every selection.
  public func deselectAll() { changeSelection(to: []) }

  private func pruneSelection() { changeSelection(to: selected.filter(elements.contains)) }

  private func changeSelection(to new: [RecordKey]) {
    if new == selected { return }
    registrar.withMutation(of: self, keyPath: \.selection) { selected = new }
  }

  // MARK: Clusters

  /// Tells what the map shows, so that this is read, and clustered for its zoom level, with half of
  /// it more on every side.
  ///
  /// Call it whenever the region has changed. Moving the map within that margin causes nothing, nor
  /// does a zoom that trembles by a tenth. Without clusters and a query for regions it does
  /// nothing.
  ///
  /// - Parameters:
  ///   - region: What is visible.
  ///   - zoom: 0 where the world is as wide as ``ClusterOptions/tileSize``, one more for twice
  ///     that.
  public func show(_ region: GeoRegion, zoom: Double) {
    guard !core.isDetached, region.isValid else { return }
    regional?.show(region)
    display?.show(region, zoom: zoom)
  }

  /// The ids of the elements that an annotation stands for, in an order that depends on the set of
  /// elements alone.
  ///
  /// - Parameters:
  ///   - id: of the annotation.
  ///   - offset: how many to pass over.
  ///   - limit: how many to return at most.
  public func leaves(
    of id: RecordKey, from offset: Int = 0, limit: Int = 100
  ) async -> [RecordKey] {
    guard let display else { return offset == 0 && limit > 0 && elements.contains(id) ? [id] : [] }
    return await display.leaves(of: id, from: offset, limit: limit)
  }

  /// The least zoom level at which a cluster comes apart; nil if it never does, because all of its
  /// elements are at one place, or the annotation is no cluster.
  public func expansionZoom(of id: RecordKey) async -> Int? {
    await display?.expansionZoom(of: id)
  }

  /// The least zoom level at which an annotation is displayed by itself: where a map has to go to
  /// reveal it. Nil if there is no such annotation.
  ///
  /// If that is more than ``ClusterOptions/maximumZoom``, it may be at one place with others: see
  /// ``SpiderLayout``.
  public func reveal(_ id: RecordKey) async -> Int? {
    guard elements.contains(id) else { return nil }
    guard let display else { return 0 }
    return await display.zoomAlone(id)
  }

  /// The annotation that the surface shows for an element now: its own, or that of the cluster it
  /// is in; nil if neither is shown, because it is not in view, withheld, or still to come.
  ///
  /// - Parameter id: of the element.
  public func displayed(for id: RecordKey) async -> Annotation? {
    guard elements.contains(id) else { return nil }
    if let annotation = core.annotations[id] { return annotation }
    let leaders = await display?.leaders(of: id) ?? []
    guard elements.contains(id) else { return nil }
    // A leader of a coarser level leads the finer ones, too, and others there.
    for (zoom, leader) in leaders.enumerated().reversed() {
      if let shown = core.annotations[leader], shown.cluster?.zoom == zoom { return shown }
    }
    return nil
  }

  /// Whether the displayed clusters lag behind the queries.
  public var clustersLag: Bool {
    display.map { elements.isBehind || $0.version != $0.displayedVersion } ?? false
  }

  // MARK: What is shown

  /// What the surface shows, by id; after the end, what it was left showing.
  ///
  /// Complexity: O(1); the dictionary is shared until the next operation, which then copies it
  /// once.
  public var annotations: [RecordKey: Annotation] { watched.annotations }

  /// How many annotations the surface shows.
  public var shownCount: Int { watched.shownCount }

  /// How many ids wait for an operation, never more than there are distinct ids.
  public var pendingOperationCount: Int { watched.pendingCount }

  /// What the registry has done so far.
  public var counters: AnnotationCounters { watched.counters }

  /// The core, of which somebody reads what changes with the counters.
  private var watched: AnnotationDrain {
    registrar.access(self, keyPath: \.counters)
    core.watchCounts()
    return core
  }

  private func didChange<Value>(_ path: KeyPath<AnnotationRegistry, Value>) {
    registrar.withMutation(of: self, keyPath: path) {}
  }

  // MARK: When to deliver

  /// Whether there is no reason to hold operations back.
  public var isGateOpen: Bool {
    registrar.access(self, keyPath: \.isGateOpen)
    return core.isGateOpen
  }

  /// Delivers nothing until the reason is opened again; at once, also from inside an operation.
  ///
  /// Closing twice for one reason is closing once. After the end it does nothing.
  public func close(_ reason: GateReason) { core.close(reason) }

  /// Takes a reason back; when it was the last, what is pending is delivered in a later turn.
  public func open(_ reason: GateReason) { core.open(reason) }

  /// Tells which coordinates are on screen, so that those are served first; nil means all are.
  ///
  /// It orders what is pending and hides nothing. The closure is called when an operation is queued
  /// and when this method is called, and must answer the same for the same coordinate in between.
  ///
  /// Complexity: O(n log n), n being the pending ids.
  public func prioritize(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    core.regionChanged(isOnScreen)
  }

  /// Waits until nothing is pending, the gate is closed, the registry has ended, or the task is
  /// cancelled.
  ///
  /// Changes that reach the live query while it waits are waited for too, and so are the elements
  /// of a region and related entities that are being read.
  public func drain() async {
    // The elements that the query had from the start may arrive in a turn already asked for.
    await Task.yield()
    repeat {
      await regional?.settle()
      await elements.settle()
      await display?.settle()
      await core.drain()
      // What came meanwhile may be under way between them.
    } while !isSettled && !core.isDetached && !Task.isCancelled
  }

  private var isSettled: Bool {
    regional?.isReading != true && elements.isSettled && display?.isAway != true && core.isSettled
  }

  // MARK: The end

  /// Ends the registry: after this call returns the surface is never called again.
  ///
  /// It may be called from inside an operation, and more than once. What is shown stays shown; what
  /// was pending is dropped; the reasons of the gate are forgotten.
  public func detach() { core.detach() }

  private func stopObserving() {
    elements.end()
    regional?.end()
    regional = nil
    deselectAll()
    display?.end()
  }
}
