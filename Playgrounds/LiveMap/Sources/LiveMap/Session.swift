import Foundation
import Strata
import StrataMap

/// The list and the map of a page, over one live query, for as long as the page's connection lasts.
///
/// Every page has a registry of its own, because region, zoom, clusters, gate and selection belong
/// to the page. The pages share the expensive part: equal live queries have one result in memory.
/// When the connection ends, `run` returns, and the session releases everything that it holds.
@MainActor final class Session {
  private let world: World
  private let live: LiveQuery<Sighting>
  /// A live query of the selected sighting alone, wherever it is in the list. Few changes wake it.
  private let selected: LiveQuery<Sighting>
  private let surface = GeoJSONSurface()
  private let registry: AnnotationRegistry<Sighting>
  private let send: @Sendable (Event) -> Void
  private var visibleRows = (from: 0, count: 40)
  private var hasBegun = false
  /// The streams whose last event the page has not shown yet.
  private var underWay: Set<EventStream> = []
  /// The streams under way that have a newer event.
  private var waiting: Set<EventStream> = []
  private var lastStatus: Status?

  init(_ world: World, clusters: ClusterOptions?, send: @escaping @Sendable (Event) -> Void) {
    self.world = world
    self.send = send
    let view = world.stack.viewContext
    live = view.live(Sighting.listed(.strongest))
    selected = view.live(Sighting.none)
    registry = AnnotationRegistry(live, mapping: Sighting.pins, on: surface, clusters: clusters)
    // The gate stays closed until the page tells the region of its map.
    registry.close(.regionChange)
    world.welcome(self)
    surface.onChange = { [weak self] in
      // The rest of the slice comes first.
      Task { self?.offer(.change) }
    }
  }

  /// Answers the page until it has no more requests.
  func run(_ requests: AsyncStream<Request>) async {
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followList() }
      group.addTask { await self.followSelection() }
      group.addTask { await self.followStatus() }
      for await request in requests {
        // Work that takes time must not keep a drag waiting.
        if let work = answer(request) { group.addTask { await self.attempt(work) } }
      }
      registry.detach()
      group.cancelAll()
    }
  }

  /// Sends the current state, and then `complete`.
  private func begin() async throws {
    try await live.waitUntilLoaded()
    registry.open(.regionChange)
    await registry.drain()
    underWay.remove(.change)
    offer(.change)
    send(.complete)
  }

  // MARK: Events

  /// Sends the newest event of a stream, unless the page has not shown the last one.
  ///
  /// The next event follows when the page has shown the last one. Meanwhile the surface composes
  /// changes, and the list has its newest elements. So a page that is slow or stopped costs an
  /// entry for each id, and no queue.
  private func offer(_ stream: EventStream) {
    guard !underWay.contains(stream) else {
      waiting.insert(stream)
      return
    }
    guard let event = newest(stream) else { return }
    underWay.insert(stream)
    send(event)
  }

  private func newest(_ stream: EventStream) -> Event? {
    switch stream {
    case .change:
      return surface.take().map(Event.change)
    case .rows:
      let elements = live.elements
      let visible = elements.dropFirst(visibleRows.from).prefix(visibleRows.count)
      return .rows(
        total: elements.count, from: visible.startIndex, rows: visible.map(Event.Row.init))
    case .status:
      var status = world.status
      status.describe(registry)
      guard status != lastStatus else { return nil }
      lastStatus = status
      return .status(status: status)
    }
  }

  private func wasShown(_ stream: EventStream) {
    underWay.remove(stream)
    if waiting.remove(stream) != nil { offer(stream) }
  }

  private func followList() async {
    offer(.rows)
    for await _ in live.updates(every: .milliseconds(100)) {
      offer(.rows)
      // The registry deselects an element that its query loses. The card on the page closes with
      // it.
      if registry.selection.isEmpty { selected.query = .none }
    }
  }

  private func followSelection() async {
    // A page that connects again has a selection, and is about to send it.
    var last: Event.Row?
    for await update in selected.updates {
      let sighting = update.elements.first.map(Event.Row.init)
      if sighting != last { send(.selected(sighting: sighting)) }
      last = sighting
    }
  }

  private func followStatus() async {
    while !Task.isCancelled {
      offer(.status)
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  // MARK: Requests

  private typealias Work = @MainActor @Sendable () async throws -> Void

  /// Answers a request at once, or returns the work that takes time.
  private func answer(_ request: Request) -> Work? {
    switch request {
    case .show(let south, let west, let north, let east, let zoom):
      registry.show(GeoRegion(south: south, west: west, north: north, east: east), zoom: zoom)
      guard hasBegun else {
        hasBegun = true
        return { try await self.begin() }
      }
    case .hold(let reason): registry.close(reason.gate)
    case .release(let reason): registry.open(reason.gate)
    case .shown(let stream): wasShown(stream)
    case .list(let kinds, let text, let order):
      live.query = Sighting.listed(order, kinds: kinds, text: text)
    case .rows(let from, let count):
      visibleRows = (max(0, from), min(max(0, count), 200))
      offer(.rows)
    case .select(let id): select(id)
    case .deselect: deselect()
    case .reveal(let id): return { try await self.reveal(id) }
    case .open(let id): return { try await self.open(id) }
    case .note(let id, let text):
      return {
        try await self.edit(id) { view, sighting in view.update(sighting) { $0.note = text } }
      }
    case .delete(let id):
      return { try await self.edit(id) { view, sighting in view.delete(sighting) } }
    case .undo: return { try await self.undo() }
    case .startImport: world.startImport()
    case .stopImport: world.stopImport()
    case .balloons(let count, let movesPerSecond):
      return { await self.world.setWinds(count: count, movesPerSecond: movesPerSecond) }
    }
    return nil
  }

  private func attempt(_ work: @MainActor () async throws -> Void) async {
    do { try await work() } catch {
      if !Task.isCancelled { send(.problem(message: "\(error)")) }
    }
  }

  private func select(_ id: String) {
    registry.deselectAll()
    guard registry.select(id) else {
      selected.query = .none
      return send(.selected(sighting: nil))
    }
    selected.query = Sighting.where { $0.id == id }
  }

  private func deselect() {
    registry.deselectAll()
    selected.query = .none
  }

  private func reveal(_ id: String) async throws {
    guard let zoom = await registry.reveal(id) else { return }
    send(.approach(id: id, zoom: zoom))
  }

  /// Makes the page zoom in until a cluster comes apart, or spread it out if it never does.
  private func open(_ id: String) async throws {
    if let zoom = await registry.expansionZoom(of: id) {
      return send(.approach(id: id, zoom: zoom))
    }
    let leaves = await registry.leaves(of: id)
    let offsets = SpiderLayout(spacing: 30).offsets(of: leaves)
    let legs = leaves.compactMap { leaf in
      live[id: leaf].flatMap { sighting in
        offsets[leaf].map { Event.Leg(sighting: Event.Row(sighting), x: $0.x, y: $0.y) }
      }
    }
    send(.spread(id: id, legs: legs))
  }

  private func edit(
    _ id: String, _ body: @MainActor (ViewContext, Sighting) -> Void
  ) async throws {
    let view = world.stack.viewContext
    guard let sighting = try await view.find(Sighting.self, id) else {
      return send(.problem(message: "It has been deleted meanwhile."))
    }
    body(view, sighting)
    // The winds may have moved the sighting since. The edit made here wins.
    try await view.save(.mergeMine)
  }

  /// Undoes the newest edit of any page, because all pages share the view context.
  private func undo() async throws {
    guard world.stack.viewContext.undo() != nil else { return }
    try await world.stack.viewContext.save(.mergeMine)
  }
}

extension Sighting {
  fileprivate static func listed(
    _ order: Request.Order, kinds: [Kind] = Kind.allCases, text: String = ""
  ) -> Query<Sighting> {
    var query = Sighting.where { $0.kind.isIn(kinds) }
    if !text.isEmpty { query = query.where { $0.place.ignoringCase.contains(text) } }
    return switch order {
    case .strongest: query.sorted(by: \.magnitude, order: .reverse)
    case .newest: query.sorted(by: \.time, order: .reverse)
    case .name: query.sorted(by: \.place)
    }
  }
}

extension Request.Reason {
  fileprivate var gate: GateReason {
    switch self {
    case .drag: .userInteraction
    case .hidden: .hidden
    }
  }
}
