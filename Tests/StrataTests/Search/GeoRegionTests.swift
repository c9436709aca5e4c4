import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

/// Regions whose edges are whole quarters of a degree, so that the sums of the tests are exact.
@Suite(.inTurn) struct GeoRegionTests {
  private struct Edges {
    let west: Int
    let east: Int
    let latitudes: [Int]

    init(_ random: inout SeededRandom) {
      func longitude(_ random: inout SeededRandom) -> Int {
        switch random.below(4) {
        case 0: 720 * (random.below(9) - 4)
        case 1: 1_440 * (random.below(5) - 2)
        case 2: random.below(1_441) - 720
        default: random.below(8_000) - 4_000
        }
      }
      west = longitude(&random)
      east = random.oneIn(3) ? west + random.below(1_600) : longitude(&random)
      latitudes = [random.below(721) - 360, random.below(721) - 360].sorted()
    }

    var region: GeoRegion {
      GeoRegion(
        south: Double(latitudes[0]) / 4, west: Double(west) / 4,
        north: Double(latitudes[1]) / 4, east: Double(east) / 4)
    }

    /// Quarters of a degree from the western to the eastern edge.
    var width: Int { west <= east ? min(east - west, 1_440) : Self.turn(east - west) }

    func contains(_ longitude: Int) -> Bool {
      width == 1_440 || Self.turn(longitude - west) <= width
    }

    /// Returns the quarters of a degree from 0 to less than 360 degrees of the same meridian.
    static func turn(_ quarters: Int) -> Int { (quarters % 1_440 + 1_440) % 1_440 }
  }

  @Test func `a longitude means the same with 360 degrees more or less`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<20_000 {
      let edges = Edges(&random)
      let region = edges.region
      #expect(region.isValid && region.width == Double(edges.width) / 4, "\(region)")
      #expect(region.inRange.isValid && region.inRange.width == region.width, "\(region)")
      let longitudes = (0..<8).map { _ in random.below(1_441) - 720 }
      for longitude in longitudes + [-720, 720] {
        let place = Coordinate(latitude: region.north, longitude: Double(longitude) / 4)
        #expect(region.contains(place) == edges.contains(longitude), "\(region) \(place)")
        #expect(region.inRange.contains(place) == edges.contains(longitude), "\(region) \(place)")
      }
    }
  }

  @Test func `the region around a centre is the same on every copy of the world`() {
    var random = SeededRandom.printingSeed()
    for _ in 0..<1_000 {
      let (longitude, span) = (random.below(1_441) - 720, random.below(1_600))
      func region(_ turns: Int) -> GeoRegion {
        GeoRegion(
          center: Coordinate(latitude: 0, longitude: Double(longitude + 1_440 * turns) / 4),
          latitudeSpan: 10, longitudeSpan: Double(span) / 2)
      }
      let home = region(0)
      #expect(home.width == min(Double(span) / 2, 360))
      for turns in [-3, -1, 1, 2] {
        let other = region(turns)
        #expect(other.isValid && other.width == home.width, "\(other)")
        for degrees in stride(from: -180.0, through: 180, by: 7.5) {
          let place = Coordinate(latitude: 0, longitude: degrees)
          #expect(other.contains(place) == home.contains(place), "\(other) \(place)")
        }
      }
    }
    // 0.1 - 180 and 0.1 + 180 would be one meridian, instead of nearly all of them.
    let nearly = GeoRegion(
      center: Coordinate(latitude: 0, longitude: 0.1), latitudeSpan: 10,
      longitudeSpan: (360.0).nextDown)
    #expect(nearly.width == 360)
  }

  @Test func `fetches and live queries find the places of any copy of the world`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let longitudes = (0..<200).map { number in
      random.oneIn(9) ? 720 * (number % 2 * 2 - 1) : random.below(1_441) - 720
    }
    let pages = longitudes.enumerated().map {
      Page(id: "\(1_000 + $0)", latitude: 0, longitude: Double($1) / 4)
    }
    try await stack.withScratch { scratch in for page in pages { scratch.insert(page) } }
    var hits = 0
    for _ in 0..<60 {
      let edges = Edges(&random)
      var region = edges.region
      (region.south, region.north) = (-1, 1)
      let query = Page.where { [region] in $0.location.isIn(region) }
      let wanted = zip(pages, longitudes).filter { edges.contains($1) }.map(\.0.id)
      #expect(try await stack.fetch(query).map(\.id) == wanted, "\(region)")
      let live = await stack.viewContext.live(query)
      try await live.waitUntilLoaded()
      #expect(await live.elements.map(\.id) == wanted, "\(region)")
      let plan = try QueryPlan(query, stack.store.model)
      for (page, longitude) in zip(pages, longitudes) {
        let record = try plan.table.encode(page, RecordBuilder())
        #expect(plan.filter?.matches(record) == edges.contains(longitude), "\(region)")
      }
      hits += wanted.count
    }
    #expect(hits > 1_000)
    await stack.close()
  }
}
