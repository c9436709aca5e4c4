import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

private struct Station: Entity {
  var id = 0
  var name = ""
  var latitude: Double?
  var longitude: Double?

  static let schema = Schema<Station>("stations", key: \.id) {
    Attribute(\.name)
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
}

private struct Train: Entity {
  var id = 0
  var title = ""
  var stationID: Station.ID?

  static let station = toOne(\.stationID, Station.self, onDelete: .nullify)
  static let schema = Schema<Train>("trains", key: \.id) {
    Attribute(\.title)
    station
  }

  static let pins = AnnotationMapping<Train>(
    through: \.stationID, latitude: \Station.latitude, longitude: \Station.longitude
  ).title(\.title)
}

/// Tests annotations with the coordinate of a related entity.
@Suite(.inTurn, .stack(Station.self, Train.self)) @MainActor struct RelatedPlaceTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private func registry() async throws -> AnnotationRegistry<Train> {
    try await stack.withScratch { scratch in
      for id in 0..<3 {
        scratch.insert(Station(id: id, latitude: Double(id * 10), longitude: 5))
      }
      for id in 0..<6 { scratch.insert(Train(id: id, title: "\(id)", stationID: id % 3)) }
      scratch.insert(Train(id: 9, title: "nowhere"))
    }
    let live = stack.viewContext.live(Train.all)
    try await live.waitUntilLoaded()
    let registry = AnnotationRegistry(live, mapping: Train.pins, on: surface)
    await registry.drain()
    surface.clear()
    return registry
  }

  @Test func `the annotations are at the place of the related entity, and move with it`()
    async throws
  {
    let registry = try await registry()
    #expect(surface.shown.count == 6)
    #expect(surface.shown[key(4)]?.coordinate == Coordinate(latitude: 10, longitude: 5))
    let station = try #require(try await stack.viewContext.find(Station.self, 1))
    stack.viewContext.update(station) { $0.longitude = 6 }
    #expect(registry.pendingOperationCount == 2, "in the turn of the edit")
    await registry.drain()
    let place = Coordinate(latitude: 10, longitude: 6)
    #expect(Set(surface.operations) == [.move(key(1), to: place), .move(key(4), to: place)])
    surface.clear()
    stack.viewContext.update(station) { $0.name = "renamed" }
    await registry.drain()
    #expect(surface.operations.isEmpty)
  }

  @Test func `deleting the related entity withdraws them in the same turn`() async throws {
    let registry = try await registry()
    let station = try #require(try await stack.viewContext.find(Station.self, 2))
    stack.viewContext.delete(station)
    #expect(registry.pendingOperationCount == 2)
    await registry.drain()
    #expect(Set(surface.operations) == [.remove(key(2)), .remove(key(5))])
    surface.clear()
    stack.viewContext.rollback()
    await registry.drain()
    #expect(Set(surface.shown.keys) == Set((0..<6).map { key($0) }))
  }

  @Test func `an annotation follows a changed reference, and goes without one`() async throws {
    let registry = try await registry()
    let train = try #require(try await stack.viewContext.find(Train.self, 0))
    stack.viewContext.update(train) { $0.stationID = 2 }
    await registry.drain()
    let place = Coordinate(latitude: 20, longitude: 5)
    #expect(surface.operations == [.move(key(0), to: place)])
    stack.viewContext.update(train) { $0.stationID = nil }
    await registry.drain()
    #expect(surface.operations.last == .remove(key(0)))
    registry.detach()
    let station = try #require(try await stack.viewContext.find(Station.self, 1))
    stack.viewContext.update(station) { $0.longitude = 6 }
    #expect(registry.pendingOperationCount == 0)
  }

  // The elements of a large change must not count as changed meanwhile. They would be processed
  // twice.
  @Test func `many elements are taken once`() async throws {
    try await stack.withScratch { scratch in
      for id in 0..<3 { scratch.insert(Station(id: id, latitude: Double(id * 10), longitude: 5)) }
      for id in 0..<900 { scratch.insert(Train(id: id, stationID: id % 3)) }
    }
    let registry = AnnotationRegistry(
      stack.viewContext.live(Train.where { $0.id < 0 }), mapping: Train.pins, on: surface)
    await registry.drain()
    let trains = stack.viewContext.live(Train.all)
    try await trains.waitUntilLoaded()
    registry.attach(trains)
    await registry.drain()
    #expect(registry.shownCount == 900 && registry.counters.added == 900)
    #expect(registry.counters.suppressed == 0 && registry.counters.coalesced == 0)
  }

  @Test func `many places and many elements, in any order`() async throws {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    let live = stack.viewContext.live(Train.all)
    let registry = AnnotationRegistry(live, mapping: Train.pins, on: surface)
    for round in 0..<12 {
      let (stations, trains) = (random.oneIn(3) ? 0 : 400, random.oneIn(3) ? 5 : 900)
      let shift = Double(round * 5)
      try await stack.withScratch { [random] scratch in
        var random = random
        for _ in 0..<stations {
          let id = random.below(500)
          scratch.upsert(Station(id: id, latitude: shift, longitude: Double(id % 90)))
        }
        for _ in 0..<trains {
          scratch.upsert(Train(id: random.below(1_000), stationID: random.below(600)))
        }
      }
      _ = random.next()
      if round % 3 != 0 { await registry.drain() }
      guard round % 3 == 1 else { continue }
      var places: [Int: Coordinate] = [:]
      for station in try await stack.viewContext.fetch(Station.all) {
        guard let latitude = station.latitude, let longitude = station.longitude else { continue }
        places[station.id] = Coordinate(latitude: latitude, longitude: longitude)
      }
      var wanted: [RecordKey: Coordinate] = [:]
      for train in live.elements { wanted[key(train.id)] = train.stationID.flatMap { places[$0] } }
      #expect(surface.shown.mapValues(\.coordinate) == wanted, "round \(round), seed \(seed)")
    }
  }
}
