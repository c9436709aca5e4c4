import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Wreck: Entity {
  var id = 0
  var latitude: Double?
  var longitude: Double?

  static let place = spatial(\.latitude, \.longitude)
  static let schema = Schema<Wreck>("wrecks", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
    place
  }

  /// A property that is no attribute, so that a query with it fails.
  var depth: Double { 0 }

  static let pins = AnnotationMapping<Wreck>(latitude: \.latitude, longitude: \.longitude)
}

@Suite(.inTurn, .stack(Wreck.self)) @MainActor struct RegionalRegistryTests {
  let stack = Stack.test
  let surface = RecordingSurface()
  @MainActor private final class Asked {
    var regions: [GeoRegion] = []
    var isBroken = false
  }
  private let asked = Asked()

  /// Inserts a wreck at every whole degree from 0 to 30 degrees north and from 150 degrees east to
  /// 150 degrees west, and returns a registry that shows a region of them.
  private func registry(
    _ region: GeoRegion, clusters: ClusterOptions? = nil
  ) async throws -> AnnotationRegistry<Wreck> {
    try await stack.withScratch { scratch in
      for number in 0..<(31 * 61) {
        let east = Double(150 + number % 61)
        scratch.insert(
          Wreck(
            id: number, latitude: Double(number / 61), longitude: east > 180 ? east - 360 : east))
      }
    }
    return AnnotationRegistry(
      in: stack.viewContext, showing: region, mapping: Wreck.pins, on: surface, clusters: clusters
    ) { [asked] region in
      asked.regions.append(region)
      if asked.isBroken { return Wreck.where { $0.depth > 0 } }
      return Wreck.where { $0.place.isIn(region) }
    }
  }

  private func region(_ latitude: Double, _ longitude: Double, span: Double = 4) -> GeoRegion {
    GeoRegion(
      center: Coordinate(latitude: latitude, longitude: longitude), latitudeSpan: span,
      longitudeSpan: span)
  }

  /// Drains the registry, and checks that the map shows the wrecks of a region and its margin.
  private func settle(
    _ registry: AnnotationRegistry<Wreck>, _ latitudes: ClosedRange<Int>, columns: Int
  ) async {
    await registry.drain()
    let rows = Set(surface.shown.values.map { Int($0.coordinate.latitude) })
    #expect(rows == Set(latitudes) && surface.shown.count == latitudes.count * columns)
  }

  // The registry reads a region without the deadline of the caller of `show`. Otherwise the read
  // would fail, and the map would not show the region.
  @Test func `a deadline of who moves the map is not the map's`() async throws {
    let registry = try await registry(region(10, 179))
    await settle(registry, 6...14, columns: 9)
    await withStoreDeadline(in: .zero) { registry.show(region(20, 179), zoom: 8) }
    await settle(registry, 16...24, columns: 9)
    registry.show(region(10, 179), zoom: 8)
    await settle(registry, 6...14, columns: 9)
  }

  @Test
  func `the annotations in and around the visible region are shown, across the antimeridian too`()
    async throws
  {
    let registry = try await registry(region(10, 179))
    await settle(registry, 6...14, columns: 9)
    surface.clear()
    // Both regions are within the margin.
    registry.show(region(11.5, -179.5), zoom: 6)
    registry.show(region(10, 178, span: 3), zoom: 6.2)
    await registry.drain()
    #expect(asked.regions.count == 1 && surface.operations.isEmpty)

    registry.show(region(14, 179), zoom: 6)
    await settle(registry, 10...18, columns: 9)
    #expect(asked.regions.count == 2)
    // Annotations in both regions stay as they are.
    #expect(surface.operations.count == 2 * 4 * 9)
  }

  @Test func `the annotations far away are dropped after a zoom to a near place`() async throws {
    let registry = try await registry(region(15, 180, span: 30))
    await settle(registry, 0...30, columns: 61)
    registry.show(region(15, 180, span: 2), zoom: 8)
    await settle(registry, 13...17, columns: 5)
    #expect(asked.regions.count == 2)
    registry.detach()
    registry.show(region(25, 170), zoom: 8)
    #expect(asked.regions.count == 2)
  }

  /// A region of a map that was panned around the world: the same region with other longitudes.
  private func panned(_ region: GeoRegion, _ random: inout SeededRandom) -> GeoRegion {
    let turns = Double(360 * (random.below(7) - 3))
    var panned = region
    panned.west += turns
    panned.east += turns + (region.west > region.east && random.oneIn(2) ? 360 : 0)
    return panned
  }

  // Leaflet and MapLibre report 170 to 190, or -190 to -170. The registry ignored such regions and the
  // old pins stayed.
  @Test(arguments: [nil, ClusterOptions(maximumZoom: 9)])
  func `a map that was panned around the world shows what is there`(
    clusters: ClusterOptions?
  ) async throws {
    var random = SeededRandom.printingSeed()
    let registry = try await registry(region(10, 179), clusters: clusters)
    let wrecks = try await stack.fetch(Wreck.all)
    for _ in 0..<8 {
      let region = region(
        Double(random.below(31)), Double(150 + random.below(61)), span: Double(2 + random.below(30))
      )
      let panned = panned(region, &random)
      registry.show(panned, zoom: 20)
      await registry.drain()
      let wanted = wrecks.filter { wreck in
        guard let latitude = wreck.latitude, let longitude = wreck.longitude else { return false }
        return region.contains(Coordinate(latitude: latitude, longitude: longitude))
      }
      let missing = wanted.filter { surface.shown[key($0.id)] == nil }
      #expect(missing.isEmpty, "\(panned), seed \(random.seed)")
      #expect(registry.regionError == nil)
    }
  }

  @Test(
    arguments: [
      GeoRegion(south: 20, west: 170, north: 10, east: 180),
      GeoRegion(south: -95, west: 170, north: 10, east: 180),
      GeoRegion(south: 0, west: .nan, north: 10, east: 180),
      GeoRegion(south: 0, west: 170, north: 10, east: .infinity),
    ], [nil, ClusterOptions(maximumZoom: 9)])
  func `a region that is none is told, and the map stays as it is`(
    none: GeoRegion, clusters: ClusterOptions?
  ) async throws {
    let registry = try await registry(region(10, 179), clusters: clusters)
    registry.show(region(10, 179), zoom: 10)
    await settle(registry, 6...14, columns: 9)
    surface.clear()
    registry.show(none, zoom: 10)
    #expect(registry.regionError?.code == .invalidQuery)
    await registry.drain()
    #expect(surface.operations.isEmpty)
    registry.show(region(10.5, 179), zoom: 10)
    #expect(registry.regionError == nil)
  }

  @Test func `a first region that is none is told`() async throws {
    let none = GeoRegion(south: -95, west: 170, north: 10, east: 180)
    let registry = try await registry(none)
    await registry.drain()
    #expect(registry.regionError?.code == .invalidQuery && surface.shown.isEmpty)
    registry.show(region(10, 179), zoom: 10)
    await settle(registry, 6...14, columns: 9)
    #expect(registry.regionError == nil)
  }

  @Test func `a change in the region is shown, and one outside is not`() async throws {
    let registry = try await registry(region(10, 179))
    await settle(registry, 6...14, columns: 9)
    surface.clear()
    try await stack.withScratch { scratch in
      scratch.insert(Wreck(id: 90_000, latitude: 20, longitude: 160))
      scratch.insert(Wreck(id: 90_001, latitude: 10.5, longitude: 179))
    }
    await registry.drain()
    #expect(surface.operations.map(\.id) == [key(90_001)])
  }

  @Test func `clusters are those of what is in the region`() async throws {
    let registry = try await registry(region(10, 179), clusters: ClusterOptions(radius: 60))
    registry.show(region(10, 179), zoom: 3)
    await registry.drain()
    func count() -> Int { surface.shown.values.reduce(0) { $0 + ($1.cluster?.count ?? 1) } }
    #expect(count() == 9 * 9 && surface.shown.count < 81)
    registry.show(region(20, 160), zoom: 12)
    await registry.drain()
    #expect(surface.shown.count == 9 * 9, "each by itself")
    registry.show(region(20, 160, span: 4), zoom: 3)
    try await stack.withScratch { scratch in
      scratch.insert(Wreck(id: 90_000, latitude: 20.2, longitude: 160.2))
      scratch.insert(Wreck(id: 90_001, latitude: 10, longitude: 179.5))
    }
    await registry.drain()
    #expect(count() == 9 * 9 + 1)
  }

  @Test func `a region that cannot be read leaves the old one, and is tried again`() async throws {
    let registry = try await registry(region(10, 179))
    await settle(registry, 6...14, columns: 9)
    #expect(registry.regionError == nil)
    surface.clear()
    asked.isBroken = true
    registry.show(region(20, 160), zoom: 6)
    await registry.drain()
    #expect(registry.regionError?.code == .invalidQuery && surface.operations.isEmpty)
    asked.isBroken = false
    registry.show(region(20, 160), zoom: 6)
    await settle(registry, 16...24, columns: 9)
    #expect(registry.regionError == nil)
  }

  @Test func `one region is read at a time, and after it the last one alone`() async throws {
    let registry = try await registry(region(10, 179))
    await settle(registry, 6...14, columns: 9)
    let gate = TestGate()
    await stack.viewContext.maintainer.setWillLoad { await gate.pass() }
    for longitude in 160...170 { registry.show(region(20, Double(longitude)), zoom: 6) }
    let waiting = Task { await registry.drain() }
    waiting.cancel()
    await waiting.value
    await gate.waitForArrivals()
    #expect(asked.regions.count == 2)
    await gate.open()
    await settle(registry, 16...24, columns: 9)
    #expect(asked.regions.count == 3)
    #expect(surface.shown.values.allSatisfy { (165...173).contains($0.coordinate.longitude) })
  }
}
