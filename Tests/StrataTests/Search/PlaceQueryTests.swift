import Foundation
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

@Suite(.inTurn) struct PlaceQueryTests {
  private func fill(
    _ stack: Stack, _ count: Int, _ random: inout SeededRandom
  ) async throws -> [Page] {
    let scratch = stack.makeScratch()
    for shelf in 0..<5 {
      scratch.insert(
        Shelf(
          id: Int64(shelf), latitude: degrees(90, &random) ?? 91,
          longitude: degrees(180, &random) ?? 0))
    }
    let pages = (0..<count).map { number in
      var page = page("\(1000 + number)", &random)
      page.shelfID = random.oneIn(3) ? nil : Int64(random.below(6))
      return page
    }
    for page in pages { scratch.insert(page) }
    try await scratch.save()
    return pages
  }

  private func region(_ random: inout SeededRandom) -> GeoRegion {
    func edge(_ limit: Double) -> Double {
      switch random.below(5) {
      case 0: random.pick([-limit, limit])
      case 1:
        random.pick([0, .leastNonzeroMagnitude, -Double.leastNonzeroMagnitude, -1e-42, 1e-40])
      default: Double(random.below(1_000_000)) / 1_000_000 * 2 * limit - limit
      }
    }
    let latitudes = [edge(90), edge(90)].sorted()
    return GeoRegion(south: latitudes[0], west: edge(180), north: latitudes[1], east: edge(180))
  }

  /// Returns whether a region has a place, from the numbers alone.
  private func contains(_ region: GeoRegion, _ place: Coordinate) -> Bool {
    guard region.south <= place.latitude, place.latitude <= region.north else { return false }
    let longitudes = abs(place.longitude) == 180 ? [-180.0, 180] : [place.longitude]
    return longitudes.contains { longitude in
      region.west <= region.east
        ? region.west <= longitude && longitude <= region.east
        : region.west <= longitude || longitude <= region.east
    }
  }

  @Test func `generated regions and circles have the places that are in them`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let pages = try await fill(stack, 400, &random)
    let sites = Dictionary(
      uniqueKeysWithValues: try await stack.fetch(Shelf.all).map {
        ($0.id, Coordinate(latitude: $0.latitude, longitude: $0.longitude))
      })
    func site(_ page: Page) -> Coordinate? {
      page.shelfID.flatMap { sites[$0] }.flatMap { $0.isValid ? $0 : nil }
    }
    var hits = 0
    for _ in 0..<60 {
      let region = region(&random)
      let center =
        random.oneIn(4)
        ? pages.compactMap(\.place).randomElement(using: &random)
          ?? Coordinate(latitude: 0, longitude: 0)
        : Coordinate(
          latitude: Double(random.below(181)) - 90, longitude: Double(random.below(361)) - 180)
      let meters = random.pick([
        0, 1, 100, 20_000, 500_000, 4_000_000, 12_000_000, 20_015_087, 1e12,
      ])
      func check(
        _ name: String, _ query: Query<Page>, _ expected: (Page) -> Bool
      ) async throws {
        let found = try await stack.fetch(query).map(\.id)
        #expect(
          found == pages.filter(expected).map(\.id), "\(name) \(region) \(meters) of \(center)")
        hits += found.count
        // The matcher must agree with the store.
        let plan = try QueryPlan(query, stack.store.model)
        if plan.joins.isEmpty {
          for page in pages {
            let record = try plan.table.encode(page, RecordBuilder())
            #expect((plan.filter?.matches(record) ?? true) == expected(page))
          }
        }
      }
      let isIn = { (page: Page) in page.place.map { contains(region, $0) } ?? false }
      let isNear = { (page: Page) in page.place.map { $0.meters(to: center) <= meters } ?? false }
      try await check("in", Page.where { $0.location.isIn(region) }, isIn)
      try await check("not in", Page.where { !$0.location.isIn(region) }) { !isIn($0) }
      try await check(
        "near", Page.where { $0.location.isWithin(meters: meters, of: center) }, isNear)
      try await check(
        "neither",
        Page.where {
          !($0.location.isIn(region) || $0.location.isWithin(meters: meters, of: center))
        }
      ) { !isIn($0) && !isNear($0) }
      try await check("site", Page.where { $0.shelf.site.isIn(region) }) { page in
        site(page).map { contains(region, $0) } ?? false
      }
      try await check(
        "no site", Page.where { !$0.shelf.site.isWithin(meters: meters, of: center) }
      ) { page in !(site(page).map { $0.meters(to: center) <= meters } ?? false) }
    }
    #expect(hits > 5_000)
    let places = pages.filter { $0.place != nil }
    #expect(try await stack.viewContext.count(Page.where { $0.location.isKnown }) == places.count)
    #expect(places.count < pages.count)
    await stack.close()
  }

  @Test func `the nearest come in the order of their distances`() async throws {
    var random = SeededRandom.printingSeed()
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let pages = try await fill(stack, 500, &random)
    for _ in 0..<80 {
      let center = Coordinate(
        latitude: random.pick([-90, 90, Double(random.below(181)) - 90]),
        longitude: random.pick([-180, 180, Double(random.below(361)) - 180]))
      let limit = random.pick([1, 7, 60, 1_000])
      let stars = random.below(6)
      let expected = pages.filter { $0.place != nil && $0.stars >= stars }.sorted {
        let (a, b) = ($0.place?.meters(to: center) ?? 0, $1.place?.meters(to: center) ?? 0)
        return a == b ? $0.id < $1.id : a < b
      }
      let query = Page.nearest(to: center, by: Page.location).where { $0.stars >= stars }
      #expect(
        try await stack.fetch(query.limit(limit)).map(\.id) == expected.prefix(limit).map(\.id),
        "\(center)")
      let ids = expected.prefix(limit).map(\.id)
      #expect(try await stack.fetchKeys(query.limit(limit)) == ids)
      var batched: [String] = []
      for try await batch in stack.batches(of: query.limit(limit), size: 50) {
        batched += batch.map(\.id)
      }
      #expect(batched == ids)
      let rest = query.limit(limit).offset(5)
      #expect(
        try await stack.fetch(rest).map(\.id) == expected.dropFirst(5).prefix(limit).map(\.id))
    }
    await stack.close()
  }

  @Test func `a circle includes places across the antimeridian and beyond a pole`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      scratch.insert(Page(id: "east", latitude: 0, longitude: 179.99))
      scratch.insert(Page(id: "line", latitude: 0, longitude: 180))
      scratch.insert(Page(id: "line too", latitude: 0, longitude: -180))
      scratch.insert(Page(id: "pole", latitude: 90, longitude: 12))
      scratch.insert(Page(id: "west", latitude: 0, longitude: -179.99))
    }
    let found = { (filter: Filter<Page>) in
      try await stack.fetch(Page.where { _ in filter }).map(\.id)
    }
    let west = Coordinate(latitude: 0, longitude: -179.98)
    let place = Fields<Page, Page>().location
    #expect(
      try await found(place.isWithin(meters: 2_300, of: west)) == ["line", "line too", "west"])
    #expect(
      try await found(
        place.isWithin(meters: 120_000, of: Coordinate(latitude: 89, longitude: -170)))
        == ["pole"])
    #expect(
      try await found(place.isIn(GeoRegion(south: -1, west: 179, north: 1, east: -179)))
        == ["east", "line", "line too", "west"])
    #expect(
      try await found(place.isIn(GeoRegion(south: 0, west: -180, north: 0, east: -179.99)))
        == ["line", "line too", "west"])
    #expect(
      try await found(
        place.isIn(
          GeoRegion(
            center: Coordinate(latitude: 80, longitude: 179), latitudeSpan: 40, longitudeSpan: 400))
      )
        == ["pole"])
    await stack.close()
  }

  @Test(arguments: [
    GeoRegion(south: 1, west: 0, north: 0, east: 1),
    GeoRegion(south: -91, west: 0, north: 0, east: 1),
    GeoRegion(south: 0, west: .nan, north: 1, east: 1),
    GeoRegion(south: 0, west: 0, north: .infinity, east: 1),
    GeoRegion(south: 0, west: 0, north: 1, east: -.infinity),
  ])
  func `a region that is none is refused`(region: GeoRegion) async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let query = Page.where { $0.location.isIn(region) }
    #expect(await failure { try await stack.fetch(query) }?.code == .invalidQuery)
    #expect(!region.contains(Coordinate(latitude: 0.5, longitude: 0.5)))
    await stack.close()
  }

  @Test func `a distance that is none is refused`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    let zero = Coordinate(latitude: 0, longitude: 0)
    let nowhere = Coordinate(latitude: .nan, longitude: 0)
    for query in [
      Page.where { $0.location.isWithin(meters: -1, of: zero) },
      Page.where { $0.location.isWithin(meters: .nan, of: zero) },
      Page.where { $0.location.isWithin(meters: 1, of: nowhere) },
      Page.nearest(to: Coordinate(latitude: 0, longitude: 200), by: Page.location),
    ] {
      #expect(await failure { try await stack.fetch(query) }?.code == .invalidQuery)
    }
    #expect(
      try await stack.fetch(Page.where { $0.location.isWithin(meters: .infinity, of: zero) })
        .isEmpty)
    await stack.close()
  }

  @Test func `ten thousand rows may be at one place`() async throws {
    let stack = try await Stack.temporary(Page.self, Shelf.self)
    try await stack.withScratch { scratch in
      for number in 0..<10_000 {
        scratch.insert(Page(id: "\(10_000 + number)", latitude: 48.2, longitude: 16.37))
      }
      scratch.insert(Page(id: "there", latitude: 48.2001, longitude: 16.37))
    }
    try stack.checkSearch()
    let here = Coordinate(latitude: 48.2, longitude: 16.37)
    let near = Page.where { $0.location.isWithin(meters: 0, of: here) }
    #expect(try await stack.viewContext.count(near) == 10_000)
    let nearest = Page.nearest(to: here, by: Page.location)
    #expect(try await stack.fetch(nearest.limit(2)).map(\.id) == ["10000", "10001"])
    #expect(try await stack.fetch(nearest.limit(10_001)).last?.id == "there")
    await stack.close()
  }

  @Test func `distances are those of the sphere`() {
    let vienna = Coordinate(latitude: 48.2082, longitude: 16.3738)
    let sydney = Coordinate(latitude: -33.8688, longitude: 151.2093)
    #expect(abs(vienna.meters(to: sydney) - 15_993_000) < 20_000)
    #expect(vienna.meters(to: vienna) == 0)
    let half = Coordinate(latitude: 0, longitude: 0)
      .meters(to: Coordinate(latitude: 0, longitude: 180))
    #expect(abs(half - .pi * 6_371_008.8) < 1)
    #expect(
      Coordinate(latitude: 90, longitude: 5).meters(to: .init(latitude: 90, longitude: 99)) < 1e-6)
  }
}
