import Foundation
import Strata
import StrataMap

/// The list and the map of a page, over one live query, for as long as the page's connection lasts.
///
/// Every page has a registry of its own, because region, zoom, clusters, gate and selection belong
/// to the page. The pages share the expensive part: equal live queries have one result in memory.
/// When the connection ends, `run` returns, and the session releases everything that it holds.
@MainActor final class Session {
  /// The contents of the page's map.
  enum MapStyle: String, Sendable {
    /// Clusters, kept equal by a registry.
    case clusters
    /// A pin for each element, kept equal by a registry.
    case pins
    /// All elements at each change, for the comparison.
    case everything
  }

  private let world: World
  private let style: MapStyle
  private let live: LiveQuery<Sighting>
  /// A live query of the selected sighting alone, wherever it is in the list. Few changes wake it.
  private let selected: LiveQuery<Sighting>
  private let channel: MapChannel
  private let edits: PageEdits
  private let tour: Tour
  private let rows: PageList
  private let send: @Sendable (Event) -> Void
  private let ordered: AsyncStream<Work>
  private let later: AsyncStream<Work>.Continuation
  private var hasBegun = false
  private var lastStatus: Status?
  private var isStatusShown = true
  private var lastBadges: [String: RowBadge] = [:]

  private typealias Work = @MainActor @Sendable () async throws -> Void
  private var registry: AnnotationRegistry<Sighting> { channel.registry }

  init(_ world: World, _ style: MapStyle, send: @escaping @Sendable (Event) -> Void) {
    self.world = world
    self.style = style
    self.send = send
    let view = world.stack.viewContext
    live = view.live(Sighting.listed(.strongest))
    selected = view.live(Sighting.none)
    channel = MapChannel(live, isClustered: style == .clusters, send: send)
    rows = PageList(live, send: send)
    edits = PageEdits(world.stack, author: PageEdits.author)
    tour = Tour(
      world, channel.registry, edits: edits, listUpdates: { [rows] in rows.updateCount }, send: send
    )
    (ordered, later) = AsyncStream.makeStream(of: Work.self)
    world.welcome(self)
  }

  /// Answers the page until it has no more requests.
  func run(_ requests: AsyncStream<Request>) async {
    let selections = selected.updates
    await withDiscardingTaskGroup { group in
      group.addTask { await self.followList() }
      group.addTask { await self.follow(selections) }
      group.addTask { await self.followStatus() }
      group.addTask { await self.workInOrder() }
      for await request in requests {
        // Work that takes time must not keep a drag waiting.
        if let work = answer(request) { group.addTask { await self.attempt(work) } }
      }
      registry.detach()
      later.finish()
      group.cancelAll()
    }
    await world.bidFarewell(to: self)
  }

  /// Sends the current state, and then `complete`.
  private func begin() async throws {
    try await live.waitUntilLoaded()
    if style == .everything { return await followEverything() }
    registry.open(.regionChange)
    await registry.drain()
    channel.complete()
  }

  // MARK: Events

  private func followList() async {
    await rows.follow {
      // The registry deselects an element that its query loses. The card on the page closes with
      // it.
      if self.registry.selection.isEmpty { self.selected.query = .none }
    }
  }

  /// Sends all elements at every change, as a map without a registry does.
  private func followEverything() async {
    let updates = live.updates(every: .milliseconds(100))
    send(.everything(features: Everything(sightings: live.elements)))
    send(.complete)
    await channel.everythingShown()
    for await update in updates {
      send(.everything(features: Everything(sightings: update.elements)))
      await channel.everythingShown()
    }
  }

  private func follow(_ selections: LiveUpdates<Sighting>) async {
    // A page that connects again has a selection, and is about to send it.
    var last: Row?
    for await update in selections {
      let sighting = update.elements.first.map { Row($0) }
      if sighting != last { send(.selected(sighting: sighting)) }
      last = sighting
    }
  }

  private func followStatus() async {
    while !Task.isCancelled {
      if isStatusShown { sendStatus() }
      sendBadges()
      try? await Task.sleep(for: .milliseconds(100))
    }
  }

  private func sendStatus() {
    var status = world.status
    status.describe(registry)
    status.longestTakeMilliseconds = channel.longestTake / .milliseconds(1)
    status.canUndo = edits.canUndo
    guard status != lastStatus else { return }
    lastStatus = status
    isStatusShown = false
    send(.status(status: status))
  }

  private func sendBadges() {
    guard let badge = world.badge else { return }
    var badges: [String: RowBadge] = [:]
    for sighting in rows.visible { badges[sighting.id] = badge(sighting) }
    guard badges != lastBadges else { return }
    lastBadges = badges
    send(.badges(badges: badges))
  }

  // MARK: Requests

  /// Edits and steps of the tour use one scratch context, so they run one after the other.
  private func workInOrder() async {
    for await work in ordered { await attempt(work) }
  }

  private func attempt(_ work: @MainActor () async throws -> Void) async {
    do { try await work() } catch {
      if !Task.isCancelled { send(.problem(message: "\(error)")) }
    }
  }

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
    case .rows(let from, let count): rows.show(from: from, count: count)
    case .select(let id): select(id)
    case .deselect: deselect()
    case .reveal(let id): return { try await self.reveal(id) }
    case .open(let id): return { try await self.open(id) }
    case .edit(let number, let edit): later.yield { try await self.perform(edit, number) }
    case .resolve(let keepsMine):
      later.yield { try await self.edits.resolve(keepsMine: keepsMine) }
    case .startImport: world.startImport()
    case .stopImport: world.stopImport()
    case .balloons(let count, let movesPerSecond, let areUnderWay):
      return {
        await self.world.setWinds(
          count: count, movesPerSecond: movesPerSecond, areUnderWay: areUnderWay ?? false)
      }
    case .tour(let step): later.yield { try await self.tour.run(step) }
    case .settle(let isSaved): later.yield { try await self.tour.settle(isSaved: isSaved) }
    }
    return nil
  }

  private func wasShown(_ stream: EventStream) {
    switch stream {
    case .change: channel.wasShown()
    case .everything: channel.everythingWasShown()
    case .rows: rows.wasShown()
    case .status: isStatusShown = true
    }
  }

  private func perform(_ edit: Edit, _ number: Int) async throws {
    defer { send(.done(number: number)) }
    if let conflict = try await edits.perform(edit) { send(Event(conflict)) }
  }

  private func select(_ id: String) {
    registry.deselectAll()
    guard registry.select(id) else {
      selected.query = .none
      return send(.selected(sighting: nil))
    }
    selected.query = Sighting.visible.where { $0.id == id }
  }

  private func deselect() {
    registry.deselectAll()
    selected.query = .none
  }

  private func reveal(_ id: String) async throws {
    guard let zoom = await registry.reveal(id) else { return }
    send(.approach(id: id, zoom: zoom))
  }

  /// Makes the page zoom in until a cluster comes apart, or spread it out if the page cannot zoom in
  /// so far.
  private func open(_ id: String) async throws {
    let zoom = await registry.expansionZoom(of: id)
    if let zoom, zoom <= MapChannel.maximumZoom {
      return send(.approach(id: id, zoom: zoom))
    }
    let leaves = await registry.leaves(of: id)
    let offsets = SpiderLayout(spacing: 30).offsets(of: leaves)
    let legs = leaves.compactMap { leaf in
      live[id: leaf].flatMap { sighting in
        offsets[leaf].map { Event.Leg(sighting: Row(sighting), x: $0.x, y: $0.y) }
      }
    }
    send(.spread(id: id, legs: legs))
  }
}

extension Sighting {
  fileprivate static func listed(
    _ order: Request.Order, kinds: [Kind] = Kind.allCases, text: String = ""
  ) -> Query<Sighting> {
    var query = Sighting.visible.where { $0.kind.isIn(kinds) }
    if !text.isEmpty { query = query.where { $0.place.ignoringCase.contains(text) } }
    return switch order {
    case .strongest: query.sorted(by: \.magnitude, order: .reverse)
    case .newest: query.sorted(by: \.time, order: .reverse)
    case .name: query.sorted(by: \.place)
    }
  }
}
