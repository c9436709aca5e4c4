package import Strata

/// What a registry with clusters displays, as far as the main actor knows it.
///
/// Wanted annotations come in, and go to the actor in batches, one at a time; what changes while a batch
/// is away waits, by id. What is displayed by itself changes in the turn in which it is told, without
/// waiting for the actor.
@MainActor package final class ClusterDisplay {
  private let actor: ClusterActor
  private let desire: @MainActor (RecordKey, Annotation?) -> Void
  private var wanted: [RecordKey: Annotation] = [:]
  private var changes: [RecordKey: ClusterActor.Change] = [:]
  private var displayed: [RecordKey: ClusterActor.Index.Item] = [:]
  private var zoom = ZoomLevel(0)
  private var region = GeoRegion(south: -90, west: -180, north: 90, east: 180)
  private var generation: UInt64 = 0
  private var requestedGeneration: UInt64 = 0
  private var isAway = false
  private var isOver = false
  private var waiters: [CheckedContinuation<Void, Never>] = []

  /// Counts the turns in which elements changed.
  package private(set) var version: UInt64 = 0
  /// The version that the displayed clusters are of.
  package private(set) var displayedVersion: UInt64 = 0

  package init(
    _ options: ClusterOptions, _ combinations: [ClusterValues.Combination],
    desire: @escaping @MainActor (RecordKey, Annotation?) -> Void
  ) {
    actor = ClusterActor(options, combinations)
    self.desire = desire
  }

  // MARK: Events

  /// The wanted state of one id has become `annotation`, nil meaning gone or withheld.
  package func want(_ id: RecordKey, _ annotation: Annotation?) {
    let old = wanted[id]
    guard old != annotation, !isOver else { return }
    wanted[id] = annotation
    note(id, old: old, new: annotation)
    showAtOnce(id, annotation)
  }

  /// The elements have become another version: what was wanted since goes to the actor.
  package func turnEnded() {
    version += 1
    send()
  }

  /// The map shows a region at a zoom.
  ///
  /// Nothing happens while it stays in what was asked for the last time, at the same zoom level.
  package func show(_ visible: GeoRegion, zoom newZoom: Double) {
    let isOtherLevel = zoom.settle(newZoom)
    if !isOtherLevel && region.covers(visible) { return }
    region = visible.padded
    generation += 1
    send()
  }

  package func end() {
    isOver = true
    wanted = [:]
    changes = [:]
    displayed = [:]
    resumeWaiters()
  }

  // MARK: Single annotations

  private func note(_ id: RecordKey, old: Annotation?, new: Annotation?) {
    if old?.coordinate == new?.coordinate && old?.clusterGroup == new?.clusterGroup
      && old?.values == new?.values
    {
      if changes[id] == nil { return }
    }
    let oldGroup = old.map { ClusterActor.Group(name: $0.clusterGroup) }
    changes[id, default: ClusterActor.Change(oldGroup: oldGroup)].annotation = new
  }

  /// Changes what is displayed of an id if it is displayed by itself.
  private func showAtOnce(_ id: RecordKey, _ annotation: Annotation?) {
    guard let item = displayed[id], item.count == 1 else { return }
    if annotation == nil { displayed[id] = nil }
    desire(id, annotation)
  }

  // MARK: Batches

  private var hasNews: Bool { !changes.isEmpty || requestedGeneration != generation }

  private func send() {
    guard !isAway && !isOver && hasNews else {
      if !isAway { displayedVersion = version }
      return
    }
    isAway = true
    requestedGeneration = generation
    let request = ClusterActor.Request(
      generation: generation, version: version, changes: changes, region: region,
      zoom: zoom.level, displayed: displayed)
    changes = [:]
    Task { [actor, weak self] in
      let answer = await actor.update(request)
      self?.take(answer)
    }
  }

  private func take(_ answer: ClusterActor.Answer) {
    isAway = false
    guard !isOver else { return }
    if answer.generation == generation { show(answer) }
    send()
    if !isAway { resumeWaiters() }
  }

  private func show(_ answer: ClusterActor.Answer) {
    for id in answer.removed where displayed[id] != nil {
      displayed[id] = nil
      desire(id, nil)
    }
    for item in answer.shown {
      // Gone or changed since: the next batch knows.
      guard let annotation = wanted[item.id] else { continue }
      displayed[item.id] = item
      desire(item.id, item.count == 1 ? annotation : Self.annotation(of: item, for: annotation))
    }
    displayedVersion = answer.version
  }

  /// The annotation of a cluster: where its leader is, and without the looks of its leader.
  private static func annotation(
    of item: ClusterActor.Index.Item, for leader: Annotation
  ) -> Annotation {
    var annotation = Annotation(
      id: item.id, coordinate: item.coordinate, clusterGroup: leader.clusterGroup,
      values: item.value)
    annotation.cluster = Annotation.Cluster(count: item.count, zoom: item.zoom)
    return annotation
  }

  // MARK: Questions

  package var level: Int { zoom.level }

  package func leaves(of id: RecordKey, from offset: Int, limit: Int) async -> [RecordKey] {
    await actor.leaves(of: id, zoom: level, from: offset, limit: limit)
  }

  package func expansionZoom(of id: RecordKey) async -> Int? {
    await actor.expansionZoom(of: id, zoom: level)
  }

  package func zoomAlone(_ id: RecordKey) async -> Int? { await actor.zoomAlone(id) }

  /// Waits until what was told so far is displayed, or the display is over.
  package func settle() async {
    guard isAway && !isOver else { return }
    await withCheckedContinuation { waiters.append($0) }
  }

  private func resumeWaiters() {
    let waiting = waiters
    waiters = []
    for waiter in waiting { waiter.resume() }
  }
}
