import Strata
import StrataMap
import StrataTesting
import Testing

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

/// Several queries, selection, and clusters in one registry, with a real store.
@Suite(.stack(Buoy.self)) @MainActor struct RegistryQueriesTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private func live(_ query: Query<Buoy>) async throws -> LiveQuery<Buoy> {
    let live = stack.view.live(query)
    try await live.load()
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

  @Test func `the selection survives all but the end of its element`() async throws {
    try await seed(40)
    var random = SeededRandom.printingSeed()
    let registry = AnnotationRegistry(
      try await live(Buoy.all), mapping: Buoy.pins, on: surface, clusters: ClusterOptions())
    for id in [3, 5, 7] { #expect(registry.select(key(id))) }
    #expect(!registry.select(key(99)))
    registry.close(.userInteraction)
    for _ in 0..<300 {
      let id = random.below(40)
      guard let buoy = try await stack.view.find(Buoy.self, id) else { continue }
      stack.view.update(buoy) {
        $0.latitude = Double.random(in: -89...89, using: &random)
        $0.height += 1
      }
      if random.oneIn(20) { registry.show(.world, zoom: Double(random.below(9))) }
      if random.oneIn(50) { registry.open(.userInteraction) }
    }
    #expect(registry.selection == [key(3), key(5), key(7)])
    let gone = try #require(try await stack.view.find(Buoy.self, 5))
    stack.view.delete(gone)
    #expect(registry.selection == [key(3), key(7)], "in the turn of the deletion")
    registry.deselect(key(3))
    #expect(registry.selection == [key(7)])
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
