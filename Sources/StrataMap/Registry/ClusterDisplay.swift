package import Strata

/// The items that a registry with clusters displays, as the main actor knows them: only those in
/// view.
///
/// Changes go to the cluster actor in batches, one request at a time. Later changes wait until the
/// request is answered. An annotation that is displayed by itself changes in the turn of the
/// change, without waiting for the actor.
@MainActor package final class ClusterDisplay {
  private let actor: ClusterActor
  private let work: SlicedWork
  /// Returns the annotation that is wanted for an id.
  private let annotation: @MainActor (RecordKey) -> SurfaceAnnotation?
  private let desire: @MainActor (RecordKey, SurfaceAnnotation?) -> Void
  private var requests = ClusterRequests()
  private var displayed: [RecordKey: ClusterActor.Index.Item] = [:]
  private let waiters = Waiters()

  /// Whether a request is at the actor, or its answer is being shown.
  package var isAway: Bool { requests.state == .away }
  /// The number of turns in which elements changed.
  package var version: UInt64 { requests.now.version }
  /// The version of the elements in the displayed clusters.
  package var displayedVersion: UInt64 { requests.shown.version }

  /// - Parameters:
  ///   - annotation: returns the annotation that is wanted for an id at the time of the call.
  ///   - desire: called with the annotation to display for an id; nil for none.
  package init(
    _ options: ClusterOptions, _ combinations: [ClusterValues.Combination],
    work: SlicedWork = SlicedWork(),
    annotation: @escaping @MainActor (RecordKey) -> SurfaceAnnotation?,
    desire: @escaping @MainActor (RecordKey, SurfaceAnnotation?) -> Void
  ) {
    actor = ClusterActor(options, combinations)
    self.work = work
    self.annotation = annotation
    self.desire = desire
  }

  // MARK: Events

  /// Sets the wanted annotation of one id; nil if it is gone or withheld.
  package func want(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
    requests.want(id, annotation)
    // An element that is gone stays in `displayed` until the actor reports it: another query may
    // have it a moment later.
    if displayed[id]?.count == 1 { desire(id, annotation) }
  }

  /// Sets the wanted annotations of many ids.
  package func want(_ elements: WantedElements) { requests.want(elements) }

  /// Ends a version of the elements, and sends its changes to the actor.
  package func turnEnded() {
    requests.turnEnded()
    send()
  }

  /// Sets the region and the zoom that the map shows.
  ///
  /// The call has no effect while the region stays in the last requested region, at the same zoom
  /// level.
  package func show(_ visible: GeoRegion, zoom newZoom: Double) {
    if requests.show(visible, zoom: newZoom) { send() }
  }

  package func end() {
    requests.end()
    displayed = [:]
    waiters.resumeAll()
    // The indexes may be large, so they are released on the actor that made them.
    Task { [actor] in await actor.clear() }
  }

  // MARK: Requests

  private func send() {
    guard let request = requests.next(displayed: displayed) else { return }
    Task { [actor, weak self] in
      let answer = await actor.update(request)
      self?.take(answer)
    }
  }

  // MARK: Answers

  private func take(_ answer: ClusterActor.Answer) {
    guard answer.parts.count > 4 else {
      for part in answer.parts { show(part, of: answer) }
      return didShow(answer)
    }
    var rest = answer.parts[...]
    work.add { [weak self] in
      guard let self else { return false }
      if let part = rest.popFirst() {
        show(part, of: answer)
        return true
      }
      didShow(answer)
      return false
    }
  }

  private func didShow(_ answer: ClusterActor.Answer) {
    requests.didShow(answer)
    send()
    waiters.resumeAll()
  }

  private func show(_ part: [ClusterActor.Difference], of answer: ClusterActor.Answer) {
    for difference in part {
      // The map may have moved on, even between two parts. The next answer says how the element is
      // displayed, but does not report a change before it.
      if requests.isWanted(answer) { show(difference) } else { restyle(difference.id) }
    }
  }

  /// Updates an annotation that is displayed by itself to its present look.
  private func restyle(_ id: RecordKey) {
    if displayed[id]?.count == 1 { desire(id, annotation(id)) }
  }

  private func show(_ difference: ClusterActor.Difference) {
    switch difference {
    case .gone(let id):
      if displayed.removeValue(forKey: id) != nil { desire(id, nil) }
    case .changed(let id): restyle(id)
    case .shown(let item, let group):
      // If the element is gone, the next batch reports it.
      guard let annotation = annotation(item.id) else { return }
      displayed[item.id] = item
      desire(item.id, item.count == 1 ? annotation : SurfaceAnnotation(of: item, in: group))
    }
  }

  // MARK: Questions

  package var level: Int { requests.zoom.level }

  package func leaves(of id: RecordKey, from offset: Int, limit: Int) async -> [RecordKey] {
    await actor.leaves(of: id, zoom: level, from: offset, limit: limit)
  }

  package func expansionZoom(of id: RecordKey) async -> Int? {
    await actor.expansionZoom(of: id, zoom: level)
  }

  package func leaders(of id: RecordKey) async -> [RecordKey] { await actor.leaders(of: id) }

  package func zoomAlone(_ id: RecordKey) async -> Int? { await actor.zoomAlone(id) }

  /// Waits until all changes so far are displayed, the display has ended, or the task is cancelled.
  package func settle() async {
    let wanted = requests.now
    await waiters.waitUntilCancelled { isAway && requests.shown.isBefore(wanted) }
  }
}

extension SurfaceAnnotation {
  /// Creates the annotation of a cluster, with its leader's coordinate but without its leader's
  /// look.
  fileprivate init(of item: ClusterActor.Index.Item, in group: String?) {
    self.init(
      id: item.id, coordinate: item.coordinate, clusterGroup: group, values: item.value)
    cluster = Cluster(count: item.count, zoom: item.zoom)
  }
}
