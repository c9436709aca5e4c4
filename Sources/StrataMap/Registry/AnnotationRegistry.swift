public import Observation
public import Strata

/// Keeps the annotations of a map equal to a live query.
///
///     let registry = AnnotationRegistry(quakes, mapping: Quake.pins, on: mapView)
///
/// A change of the query that touches an attribute of the mapping becomes the fewest operations
/// that show it. Any other change becomes no operation. Operations wait in a queue with at most one
/// entry per id. They are delivered one by one in turns of their own: never inside a change of the
/// query, never inside a call to ``open(_:)``, and not while a reason keeps the gate closed.
/// Removals go first, then updates on screen, then insertions, then operations off screen.
///
/// A registry can show several queries of one entity. Queries can be attached and detached at any
/// time. An element is shown while at least one query has it, and only differences become
/// operations.
///
/// With ``ClusterOptions`` the annotations are clustered: <doc:Clusters>.
///
/// The registry keeps its queries alive until it is detached or released. It does not keep the
/// surface: the release of the surface ends the registry as ``detach()`` does. An element without a
/// valid coordinate is withheld until it has a valid coordinate.
///
/// A large queue is delivered in slices, so that the main actor is free between them. A slice
/// delivers at least one operation, and ends at the first operation after its budget. A change of
/// more than 256 elements at once, such as a first load, is first processed on another thread.
///
/// The registry is `Observable`: reading ``selection``, ``isGateOpen``, ``counters``,
/// ``pendingOperationCount``, ``shownCount`` or ``annotations`` in a SwiftUI body or in
/// `withObservationTracking` is enough. Changes of the counts are reported once a slice, in the
/// turn after the slice.
@MainActor public final class AnnotationRegistry<E: Entity>: Observable {
  private let registrar = ObservationRegistrar()
  private let core: AnnotationDrain
  private let elements: RegistryElements<E>
  private let display: ClusterDisplay?
  private var regional: RegionalQuery<E>?
  private var selected: [RecordKey] = []
  /// Why the last region is not valid; nil if it is.
  private var edgeError: StoreError?

  /// Starts showing the elements of a live query on a surface.
  ///
  /// - Parameters:
  ///   - live: The query of the elements. Its present elements are added in a later turn. More
  ///     queries can be attached, and this query can be detached. A query that was made with
  ///     `reading:` has to read all attributes of the mapping, because it reports no changes of
  ///     other attributes.
  ///   - mapping: The attributes that make an annotation.
  ///   - surface: The surface that shows the annotations, held weakly. Only one registry should use
  ///     it.
  ///   - clusters: The options for clustering; nil for no clusters. Until ``show(_:zoom:)`` is
  ///     called, the whole world is shown at zoom level 0.
  ///   - sliceBudget: The time for which a slice may occupy the main actor; not negative.
  ///   - clock: The clock that measures the budget.
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
    if let display { elements.show(through: display) }
    core.onDetach { [weak self] in self?.stopObserving() }
    core.onGateChange { [weak self] in self?.didChange(\.isGateOpen) }
    core.onCount { [weak self] in self?.didChange(\.counters) }
    elements.onChange { [weak self] in self?.pruneSelection() }
    attach(live)
  }

  /// Starts showing the elements in the visible region, for elements that do not fit into memory.
  ///
  ///     let registry = AnnotationRegistry(
  ///       in: stack.viewContext, showing: region, mapping: Quake.pins, on: surface
  ///     ) { region in Quake.where { $0.location.isIn(region) } }
  ///
  /// The query is run for the visible region with a margin of half its size on every side. It is
  /// run again for another region when ``show(_:zoom:)`` reports a region that is not inside, or a
  /// much smaller region. The old result stays until the new result is loaded. Elements of both
  /// results are not touched.
  ///
  /// With clusters, the clusters at the edge of the region count only the elements in the region.
  ///
  /// - Parameters:
  ///   - view: The view context that runs the query.
  ///   - region: The region that the map shows first; ``show(_:zoom:)`` reports later regions.
  ///   - mapping: The attributes that make an annotation.
  ///   - surface: The surface that shows the annotations, held weakly. Only one registry should use
  ///     it.
  ///   - clusters: The options for clustering; nil for no clusters.
  ///   - sliceBudget: The time for which a slice may occupy the main actor; not negative.
  ///   - clock: The clock that measures the budget.
  ///   - query: Returns the query of the elements in a region. With a spatial index, the cost
  ///     depends only on the number of these elements.
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

  /// Shows the elements of one more query; has no effect if the query is attached already.
  public func attach(_ live: LiveQuery<E>) {
    guard !core.isDetached else { return }
    elements.attach(live)
  }

  /// Stops showing the elements of a query, except the elements that another attached query has.
  ///
  /// To replace a query, attach the new query first: elements of both queries stay as they are.
  /// While an attached query loads for the first time, the elements of the detached query are still
  /// shown.
  public func detach(_ live: LiveQuery<E>) { elements.detach(live) }

  /// The error of the last region: of its edges, or of the read around it; nil if there is none.
  ///
  /// After an error, the map shows the result before it. The next ``show(_:zoom:)`` tries again. The code
  /// is `invalidQuery` for a region that is not valid, or one of a read.
  public var regionError: StoreError? {
    registrar.access(self, keyPath: \.regionError)
    return edgeError ?? regional?.live.error
  }

  private func note(_ error: StoreError?) {
    if error == nil && edgeError == nil { return }
    registrar.withMutation(of: self, keyPath: \.regionError) { edgeError = error }
  }

  // MARK: Selection

  /// The ids of the selected annotations, in the order of their selection.
  ///
  /// An annotation stays selected while it moves, is restyled, waits, or is in a cluster. It leaves
  /// the selection when no query has its element.
  public var selection: [RecordKey] {
    registrar.access(self, keyPath: \.selection)
    return selected
  }

  /// Selects an annotation, and returns whether there is an element with its id.
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

  /// Reports the region that the map shows, so that the registry reads and clusters its elements.
  ///
  /// The registry reads and clusters with a margin of half the region's size on every side, for the
  /// region's zoom level. Call this method whenever the region has changed. A move of the map
  /// within the margin has no effect, and neither has a zoom that oscillates by a tenth. Without
  /// clusters and without a query for regions, the method has no effect.
  ///
  /// - Parameters:
  ///   - region: The visible region.
  ///   - zoom: The zoom level: 0 where the world is as wide as ``ClusterOptions/tileSize``, and one
  ///     more for each doubling of that width.
  public func show(_ region: GeoRegion, zoom: Double) {
    guard !core.isDetached, regional != nil || display != nil else { return }
    note(region.flaw.map { StoreError.query($0, entity: "\(E.self)") })
    guard region.isValid else { return }
    regional?.show(region)
    display?.show(region, zoom: zoom)
  }

  /// Returns the ids of the elements that an annotation stands for.
  ///
  /// The order of the ids depends only on the set of elements.
  ///
  /// - Parameters:
  ///   - id: The id of the annotation.
  ///   - offset: The number of ids to skip.
  ///   - limit: The maximum number of ids to return.
  public func leaves(
    of id: RecordKey, from offset: Int = 0, limit: Int = 100
  ) async -> [RecordKey] {
    guard let display else { return offset == 0 && limit > 0 && elements.contains(id) ? [id] : [] }
    return await display.leaves(of: id, from: offset, limit: limit)
  }

  /// Returns the least zoom level at which a cluster comes apart.
  ///
  /// The result is nil if the annotation is no cluster. If the level is greater than
  /// ``ClusterOptions/maximumZoom``, all elements of the cluster are at nearly one place: see
  /// ``SpiderLayout``.
  public func expansionZoom(of id: RecordKey) async -> Int? {
    await display?.expansionZoom(of: id)
  }

  /// Returns the least zoom level at which an annotation is displayed by itself: the zoom that
  /// reveals it.
  ///
  /// The result is nil if there is no such annotation. If the level is greater than
  /// ``ClusterOptions/maximumZoom``, the annotation may share its place with others: see
  /// ``SpiderLayout``.
  public func reveal(_ id: RecordKey) async -> Int? {
    guard elements.contains(id) else { return nil }
    guard let display else { return 0 }
    return await display.zoomAlone(id)
  }

  /// Returns the annotation that the surface shows for an element: its own or that of its cluster.
  ///
  /// The result is nil if neither is shown, because it is not in view, withheld, or still to be
  /// delivered.
  ///
  /// - Parameter id: The id of the element.
  public func displayed(for id: RecordKey) async -> SurfaceAnnotation? {
    guard elements.contains(id) else { return nil }
    if let annotation = core.annotations[id] { return annotation }
    let leaders = await display?.leaders(of: id) ?? []
    guard elements.contains(id) else { return nil }
    // The leader of a coarse cluster also leads finer clusters, which may not contain the element.
    // So the zoom levels have to match.
    for (zoom, leader) in leaders.enumerated().reversed() {
      if let shown = core.annotations[leader], shown.cluster?.zoom == zoom { return shown }
    }
    return nil
  }

  /// Whether the displayed clusters lag behind the queries.
  public var clustersLag: Bool {
    display.map { elements.isBehind || $0.version != $0.displayedVersion } ?? false
  }

  // MARK: Shown annotations

  /// The annotations that the surface shows, by id; after ``detach()``, those it showed last.
  ///
  /// Their ``SurfaceAnnotation/clusterGroup`` and the zoom level of their cluster are the newest. The
  /// surface was last told these two when another value of the annotation changed, because a change of
  /// them alone is no operation.
  ///
  /// - Complexity: O(1); the dictionary is shared until the next operation, which then copies it
  ///   once.
  public var annotations: [RecordKey: SurfaceAnnotation] { watched.annotations }

  /// The number of annotations that the surface shows.
  public var shownCount: Int { watched.shownCount }

  /// The number of ids with a pending operation, never more than there are distinct ids.
  public var pendingOperationCount: Int { watched.pendingCount }

  /// Counts of the operations that the registry has delivered or avoided.
  public var counters: AnnotationCounters { watched.counters }

  /// The core, after registering an observation of the counters. All observed values change with
  /// the counters.
  private var watched: AnnotationDrain {
    registrar.access(self, keyPath: \.counters)
    core.watchCounts()
    return core
  }

  private func didChange<Value>(_ path: KeyPath<AnnotationRegistry, Value>) {
    registrar.withMutation(of: self, keyPath: path) {}
  }

  // MARK: Delivery

  /// Whether the gate has no reason to hold operations back.
  public var isGateOpen: Bool {
    registrar.access(self, keyPath: \.isGateOpen)
    return core.isGateOpen
  }

  /// Holds operations back until the reason is opened; takes effect at once, even inside an
  /// operation.
  ///
  /// A second close for the same reason has no further effect. After ``detach()`` the method has no
  /// effect.
  public func close(_ reason: GateReason) { core.close(reason) }

  /// Removes a reason; if it was the last, the pending operations are delivered in a later turn.
  public func open(_ reason: GateReason) { core.open(reason) }

  /// Sets which coordinates are on screen, so that their operations are delivered first; nil means
  /// all.
  ///
  /// This orders the pending operations and hides none. The closure is called when an operation is
  /// queued and when this method is called. Between these calls it must return the same result for
  /// the same coordinate.
  ///
  /// - Complexity: O(n log n), n being the number of pending ids.
  public func prioritize(_ isOnScreen: (@Sendable (Coordinate) -> Bool)?) {
    core.regionChanged(isOnScreen)
  }

  /// Waits until no operation is pending, the gate is closed, the registry has ended, or the task
  /// is cancelled.
  ///
  /// It also waits for changes that reach the live query meanwhile, and for reads of the elements
  /// of a region and of related entities.
  public func drain() async {
    // The elements that the query had from the start may arrive in a turn that is already
    // scheduled.
    await Task.yield()
    repeat {
      await regional?.settle()
      await elements.settle()
      await display?.settle()
      await core.drain()
      // Changes that arrived meanwhile may be on their way between these parts.
    } while !isSettled && !core.isDetached && !Task.isCancelled
  }

  private var isSettled: Bool {
    regional?.isReading != true && elements.isSettled && display?.isAway != true && core.isSettled
  }

  // MARK: The end

  /// Ends the registry: after this call returns the surface is never called again.
  ///
  /// It may be called from inside an operation, and more than once. The shown annotations stay on
  /// the surface. Pending operations are dropped, and the reasons of the gate are forgotten.
  public func detach() { core.detach() }

  private func stopObserving() {
    elements.end()
    regional?.end()
    regional = nil
    note(nil)
    deselectAll()
    display?.end()
  }
}
