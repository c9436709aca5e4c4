import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Buoy: Entity, Equatable {
  var id = 0
  var latitude = 0.0
  var longitude = 0.0
  var kind = 0
  var height = 0.0

  static let schema = Schema<Buoy>("buoys", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.kind)
    Attribute(\.height)
  }

  static let pins = AnnotationMapping<Buoy>(latitude: \.latitude, longitude: \.longitude)
    .clusterValue(\.height, max)
}

/// Tests several queries, selection and clusters in one registry, with a real store.
@Suite(.inTurn, .stack(Buoy.self)) @MainActor struct RegistryQueriesTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private func live(_ query: Query<Buoy>) async throws -> LiveQuery<Buoy> {
    let live = stack.viewContext.live(query)
    try await live.waitUntilLoaded()
    return live
  }

  private func seed(_ count: Int) async throws {
    try await stack.withScratch { scratch in
      for id in 0..<count {
        scratch.insert(
          Buoy(
            id: id, latitude: Double(id % 60), longitude: Double(id % 7), kind: id % 3,
            height: Double(id)))
      }
    }
  }

  @Test func `swapping queries applies the differences only`() async throws {
    try await seed(30)
    let low = try await live(Buoy.where { $0.kind <= 1 })
    let high = try await live(Buoy.where { $0.kind >= 1 })
    let registry = AnnotationRegistry(low, mapping: Buoy.pins, on: surface)
    await registry.drain()
    #expect(surface.shown.count == 20)
    surface.clear()
    registry.attach(high)
    registry.detach(low)
    await registry.drain()
    #expect(surface.operations.count == 20)
    #expect(
      surface.operations.prefix(10).allSatisfy { if case .remove = $0 { true } else { false } })
    #expect(surface.shown.count == 20)
    registry.attach(high)
    registry.attach(low)
    await registry.drain()
    #expect(surface.shown.count == 30)
    surface.clear()
    registry.detach(low)
    registry.detach(high)
    await registry.drain()
    #expect(surface.shown.isEmpty && surface.operations.count == 30)
  }

  // The two queries take their parts of a turn one after the other. In between, no query has the
  // element.
  @Test(arguments: [nil, ClusterOptions()])
  func `an element that goes from one query to another stays selected and shown`(
    clusters: ClusterOptions?
  ) async throws {
    try await stack.withScratch { scratch in
      scratch.insert(Buoy(id: 1, latitude: 10, longitude: 10, kind: 0))
    }
    let low = try await live(Buoy.where { $0.kind <= 1 })
    let high = try await live(Buoy.where { $0.kind >= 2 })
    let registry = AnnotationRegistry(low, mapping: Buoy.pins, on: surface, clusters: clusters)
    registry.attach(high)
    await registry.drain()
    #expect(registry.select(key(1)))
    surface.clear()
    for kind in [2, 0, 3, 1] {
      try await stack.withScratch { scratch in
        _ = scratch.update(try #require(try await scratch.find(Buoy.self, 1))) { $0.kind = kind }
      }
      try await stack.viewContext.waitUntilMerged(stack.store.newestCommit)
      #expect(registry.selection == [key(1)])
      await registry.drain()
      let buoy = try #require(low.elements.first ?? high.elements.first)
      stack.viewContext.update(buoy) { $0.kind = 3 - kind }
      #expect(registry.selection == [key(1)])
      await registry.drain()
      stack.viewContext.rollback()
      await registry.drain()
    }
    #expect(surface.operations == [] && registry.selection == [key(1)])
  }

  @Test func `swapping to a query that is not read yet neither blinks nor loses the selection`()
    async throws
  {
    try await seed(30)
    let low = try await live(Buoy.where { $0.kind <= 1 })
    let registry = AnnotationRegistry(low, mapping: Buoy.pins, on: surface)
    await registry.drain()
    #expect(registry.select(key(1)) && registry.select(key(3)))
    surface.clear()
    let gate = TestGate()
    await stack.viewContext.maintainer.setWillLoad { await gate.pass() }
    let high = stack.viewContext.live(Buoy.where { $0.kind >= 1 })
    registry.attach(high)
    registry.detach(low)
    await gate.waitForArrivals()
    await registry.drain()
    #expect(surface.operations.isEmpty && registry.selection == [key(1), key(3)])
    await gate.open()
    try await high.waitUntilLoaded()
    await registry.drain()
    #expect(surface.operations.count == 20 && surface.shown.count == 20)
    #expect(registry.selection == [key(1)])
    // An empty query counts as read, too.
    let none = stack.viewContext.live(Buoy.where { $0.kind > 5 })
    registry.attach(none)
    registry.detach(high)
    try await none.waitUntilLoaded()
    await registry.drain()
    #expect(surface.shown.isEmpty)
  }

  @Test(arguments: [nil, ClusterOptions()])
  func `the selection survives 4,000 changes, and ends with its element`(
    clusters: ClusterOptions?
  ) async throws {
    try await seed(1_000)
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    let live = try await live(Buoy.all)
    let registry = AnnotationRegistry(live, mapping: Buoy.pins, on: surface, clusters: clusters)
    let selection = (0..<100).map { key($0 * 7) }
    for id in selection { #expect(registry.select(id)) }
    #expect(!registry.select(key(9_999)))
    var changes = 0
    while changes < 4_000 {
      if random.oneIn(40) {
        // A large change, which is examined on another thread.
        let numbers = (0..<600).map { _ in random.below(1_000) }
        let shift = Double(random.below(80))
        try await stack.withScratch { scratch in
          for number in numbers {
            scratch.upsert(
              Buoy(id: number, latitude: shift, longitude: Double(number % 170), kind: 1))
          }
        }
        changes += numbers.count
      } else {
        let buoy = live.elements[random.below(live.elements.count)]
        stack.viewContext.update(buoy) {
          $0.latitude = Double.random(in: -89...89, using: &random)
          $0.height += 1
        }
        changes += 1
      }
      if random.oneIn(20) { registry.show(.world, zoom: Double(random.below(9))) }
      if random.oneIn(50) { registry.close(.userInteraction) }
      if random.oneIn(50) { registry.open(.userInteraction) }
      #expect(registry.selection == selection, "seed \(seed)")
    }
    let gone = try #require(try await stack.viewContext.find(Buoy.self, 7))
    stack.viewContext.delete(gone)
    #expect(registry.selection == selection.filter { $0 != key(7) }, "in the turn of the deletion")
    registry.deselect(key(0))
    #expect(registry.selection.first == key(14))
  }

  @Test func `counters tell what a registry has done`() async throws {
    try await seed(20)
    let registry = AnnotationRegistry(
      try await live(Buoy.all), mapping: Buoy.pins, on: surface, sliceBudget: .zero)
    await registry.drain()
    #expect(registry.counters.added == 20 && registry.counters.highWater == 20)
    #expect(registry.counters.slices == 20, "no time is enough for one")
    let buoy = try #require(try await stack.viewContext.find(Buoy.self, 3))
    stack.viewContext.update(buoy) { $0.kind = 9 }
    #expect(registry.counters.suppressed == 1)
    stack.viewContext.update(buoy) { $0.latitude = 80 }
    stack.viewContext.update(buoy) { $0.latitude = 81 }
    stack.viewContext.update(buoy) { $0.height = 100 }
    await registry.drain()
    #expect(registry.counters.coalesced == 2)
    #expect(registry.counters.moved == 1 && registry.counters.restyled == 1)
    stack.viewContext.delete(buoy)
    await registry.drain()
    #expect(registry.counters.removed == 1 && registry.counters.applied == 23)
  }

  @Test func `a registry with clusters sees at the next change that its map is gone`() async throws
  {
    try await seed(10)
    let live = try await live(Buoy.all)
    let registry: AnnotationRegistry<Buoy>
    do {
      let map = RecordingSurface()
      registry = AnnotationRegistry(live, mapping: Buoy.pins, on: map, clusters: ClusterOptions())
      await registry.drain()
      #expect(registry.select(key(1)))
    }
    let buoy = try #require(try await stack.viewContext.find(Buoy.self, 3))
    stack.viewContext.update(buoy) { $0.latitude = 80 }
    #expect(registry.selection.isEmpty && !registry.select(key(1)))
  }

  @Test func `clusters of a live query have the values of their elements`() async throws {
    try await seed(60)
    let registry = AnnotationRegistry(
      try await live(Buoy.all), mapping: Buoy.pins, on: surface, clusters: ClusterOptions())
    await registry.drain()
    #expect(!registry.clustersLag)
    let counts = surface.shown.values.map { $0.cluster?.count ?? 1 }
    #expect(counts.reduce(0, +) == 60 && counts.count < 20)
    #expect(surface.shown.values.compactMap { $0.values.first }.max() == 59)
    registry.show(.world, zoom: 12)
    await registry.drain()
    #expect(surface.shown.count == 60)
    surface.clear()
    try await stack.withScratch { scratch in
      let buoy = try #require(try await scratch.find(Buoy.self, 9))
      scratch.update(buoy) { $0.kind = 2 }
    }
    await registry.drain()
    #expect(surface.operations.isEmpty, "the mapping does not read it")
    let zoom = try #require(await registry.reveal(key(9)))
    #expect(zoom > 0 && zoom <= 12)
    registry.detach()
    #expect(await registry.reveal(key(9)) == nil)
  }
}
