internal import Strata

/// The state machine of a cluster display's requests: one at a time, and later changes wait.
///
/// idle ─changes or another view→ away ─answer→ idle;  any ─end→ over
struct ClusterRequests: Sendable {
  /// A moment of the display.
  struct Mark: Sendable, Equatable {
    /// The number of turns in which elements changed.
    var version: UInt64 = 0
    /// The number of views that were requested.
    var generation: UInt64 = 0

    func isBefore(_ other: Mark) -> Bool {
      version < other.version || generation < other.generation
    }
  }

  enum State: Sendable {
    /// No request is under way.
    case idle
    /// A request is at the actor, or its answer is being shown.
    case away
    /// The display has ended.
    case over
  }

  private(set) var state = State.idle
  private(set) var now = Mark()
  /// The moment of the displayed clusters.
  private(set) var shown = Mark()
  private(set) var zoom = ZoomLevel(0)
  private var region = GeoRegion(south: -90, west: -180, north: 90, east: 180)
  /// The view of the last request.
  private var requestedGeneration: UInt64 = 0
  /// The batches that wait for a request.
  private var batches: [ClusterActor.Batch] = []
  /// The changes after the last batch.
  private var changes: [RecordKey: SurfaceAnnotation?] = [:]

  var isOver: Bool { state == .over }

  /// Notes the wanted annotation of one id; nil if it is gone or withheld.
  mutating func want(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
    if !isOver { changes[id] = .some(annotation) }
  }

  mutating func want(_ elements: WantedElements) {
    if isOver { return }
    closeBatch()
    batches.append(.many(elements))
  }

  /// Ends a version of the elements.
  mutating func turnEnded() { now.version += 1 }

  /// Notes the region and the zoom that the map shows.
  ///
  /// - Returns: whether that is another view: another zoom level, or not within the last requested region.
  mutating func show(_ visible: GeoRegion, zoom newZoom: Double) -> Bool {
    let isOtherLevel = zoom.set(newZoom)
    if !isOtherLevel && region.covers(visible) { return false }
    region = visible.padded
    now.generation += 1
    return true
  }

  /// Takes the next request; nil if there is nothing to request, or if an answer is awaited.
  mutating func next(
    displayed: [RecordKey: ClusterActor.Index.Item]
  ) -> ClusterActor.Request? {
    guard state == .idle else { return nil }
    closeBatch()
    guard !batches.isEmpty || requestedGeneration != now.generation else {
      shown.version = now.version
      return nil
    }
    defer { (state, requestedGeneration, batches) = (.away, now.generation, []) }
    return ClusterActor.Request(
      generation: now.generation, version: now.version, batches: batches, region: region,
      zoom: zoom.level, displayed: displayed)
  }

  /// Returns whether the map still shows the view of an answer.
  func isWanted(_ answer: ClusterActor.Answer) -> Bool {
    !isOver && answer.generation == now.generation
  }

  /// Notes that all of an answer is shown.
  mutating func didShow(_ answer: ClusterActor.Answer) {
    guard state == .away else { return }
    state = .idle
    if isWanted(answer) {
      shown = Mark(version: answer.version, generation: answer.generation)
    }
  }

  mutating func end() { (state, batches, changes) = (.over, [], [:]) }

  private mutating func closeBatch() {
    if !changes.isEmpty { batches.append(.some(changes)) }
    changes = [:]
  }
}
