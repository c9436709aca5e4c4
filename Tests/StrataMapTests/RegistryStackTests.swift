import Foundation
import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

private struct Stop: Entity, Equatable {
  var id = 0
  var name = ""
  var latitude: Double?
  var longitude: Double?
  var visitors = 0

  static let schema = Schema<Stop>("stops", key: \.id) {
    Attribute(\.name)
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.visitors)
  }

  static let pins = AnnotationMapping<Stop>(latitude: \.latitude, longitude: \.longitude)
    .title(\.name)
}

/// Tests the registry with a real store, a real live query and a map that records its operations.
@Suite(.inTurn, .stack(Stop.self)) @MainActor struct RegistryStackTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private func registry(_ query: Query<Stop> = Stop.all) async throws -> AnnotationRegistry<Stop> {
    let live = stack.viewContext.live(query)
    try await live.waitUntilLoaded()
    return AnnotationRegistry(live, mapping: Stop.pins, on: surface)
  }

  private func seed(_ count: Int) async throws {
    try await stack.withScratch { scratch in
      for id in 0..<count {
        scratch.insert(Stop(id: id, name: "Stop \(id)", latitude: Double(id), longitude: 0))
      }
    }
  }

  @Test func `the entities of the query are added once`() async throws {
    try await seed(3)
    let registry = try await registry()
    #expect(surface.operations.isEmpty)
    await registry.drain()
    #expect(surface.operations.count == 3 && registry.shownCount == 3)
    #expect(surface.shown[key(1)]?.title == "Stop 1")
  }

  @Test func `saved changes become the fewest operations`() async throws {
    try await seed(5)
    let registry = try await registry()
    await registry.drain()
    surface.clear()
    try await stack.withScratch { scratch in
      let stops = try await scratch.fetch(Stop.all)
      scratch.update(stops[0]) { $0.visitors = 9 }
      scratch.update(stops[1]) { $0.name = "renamed" }
      scratch.update(stops[2]) { $0.latitude = 50 }
      scratch.delete(stops[3])
      scratch.insert(Stop(id: 9, name: "new", latitude: 1, longitude: 1))
    }
    await registry.drain()
    let operations = surface.operations
    #expect(operations.count == 4)
    #expect(operations.first == .remove(key(3)))
    #expect(operations.contains(.move(key(2), to: Coordinate(latitude: 50, longitude: 0))))
    #expect(
      operations.contains {
        if case .restyle(let pin) = $0 { pin.title == "renamed" } else { false }
      })
    #expect(operations.last?.id == key(9))
  }

  @Test func `unsaved edits move pins in the same turn's drain`() async throws {
    try await seed(2)
    let registry = try await registry()
    await registry.drain()
    surface.clear()
    let stop = try #require(try await stack.viewContext.find(Stop.self, 1))
    stack.viewContext.update(stop) { $0.longitude = 7 }
    await registry.drain()
    #expect(surface.operations == [.move(key(1), to: Coordinate(latitude: 1, longitude: 7))])
    surface.clear()
    stack.viewContext.rollback()
    await registry.drain()
    #expect(surface.operations == [.move(key(1), to: Coordinate(latitude: 1, longitude: 0))])
  }

  @Test func `a save that confirms what is shown causes nothing`() async throws {
    try await seed(1)
    let registry = try await registry()
    let stop = try #require(try await stack.viewContext.find(Stop.self, 0))
    stack.viewContext.update(stop) { $0.name = "edited" }
    await registry.drain()
    surface.clear()
    try await stack.viewContext.save()
    await registry.drain()
    #expect(surface.operations.isEmpty)
  }

  @Test func `a coordinate that is missing withholds the pin until it is there`() async throws {
    try await seed(1)
    let registry = try await registry()
    await registry.drain()
    surface.clear()
    let stop = try #require(try await stack.viewContext.find(Stop.self, 0))
    stack.viewContext.update(stop) { $0.latitude = nil }
    await registry.drain()
    #expect(surface.operations == [.remove(key(0))])
    stack.viewContext.update(stop) { $0.latitude = 91 }
    await registry.drain()
    #expect(surface.operations.count == 1)
    stack.viewContext.update(stop) { $0.latitude = 45 }
    await registry.drain()
    #expect(surface.shown[key(0)]?.coordinate.latitude == 45)
  }

  @Test func `leaving the query's filter removes the pin`() async throws {
    try await seed(2)
    let registry = try await registry(Stop.where { $0.visitors == 0 })
    await registry.drain()
    surface.clear()
    try await stack.withScratch { scratch in
      let stop = try #require(try await scratch.find(Stop.self, 1))
      scratch.update(stop) { $0.visitors = 1 }
    }
    await registry.drain()
    #expect(surface.operations == [.remove(key(1))])
  }

  @Test func `a closed gate holds everything back and opens to the newest state`() async throws {
    try await seed(3)
    let registry = try await registry()
    await registry.drain()
    surface.clear()
    registry.close(.userInteraction)
    for latitude in 10..<20 {
      try await stack.withScratch { scratch in
        let stop = try #require(try await scratch.find(Stop.self, 1))
        scratch.update(stop) { $0.latitude = Double(latitude) }
      }
    }
    await registry.drain()
    #expect(surface.operations.isEmpty && registry.pendingOperationCount == 1)
    registry.open(.userInteraction)
    await registry.drain()
    #expect(surface.operations == [.move(key(1), to: Coordinate(latitude: 19, longitude: 0))])
  }

  @Test func `a registry that is detached inside an operation applies no further operation`()
    async throws
  {
    try await seed(10)
    let registry = try await registry()
    surface.onApply = { _ in registry.detach() }
    await registry.drain()
    #expect(surface.operations.count == 1)
    try await seed(0)
    try await stack.withScratch { $0.insert(Stop(id: 99, latitude: 0, longitude: 0)) }
    await registry.drain()
    #expect(surface.operations.count == 1)
  }

  @Test func `the surface is not kept alive, and its end ends the registry`() async throws {
    try await seed(1)
    let live = stack.viewContext.live(Stop.all)
    try await live.waitUntilLoaded()
    weak var gone: RecordingSurface?
    let registry: AnnotationRegistry<Stop>
    do {
      let surface = RecordingSurface()
      gone = surface
      registry = AnnotationRegistry(live, mapping: Stop.pins, on: surface)
      await registry.drain()
      #expect(surface.operations.count == 1)
    }
    #expect(gone == nil)
    try await stack.withScratch { $0.insert(Stop(id: 5, latitude: 0, longitude: 0)) }
    await registry.drain()
    #expect(registry.pendingOperationCount == 0)
  }

  @Test(arguments: 0..<5) func `the map equals the query after any history`(seed: UInt64)
    async throws
  {
    var random = SeededRandom(seed: seed)
    let registry = try await registry(Stop.where { $0.visitors < 3 }.sorted(by: \.name))
    for step in 0..<60 {
      let id = Int.random(in: 0..<12, using: &random)
      let stop = Stop(
        id: id, name: "n\(Int.random(in: 0..<4, using: &random))",
        latitude: Bool.random(using: &random) ? Double(step) : nil, longitude: 1,
        visitors: Int.random(in: 0..<5, using: &random))
      let existing = try await stack.viewContext.find(Stop.self, id)
      switch (Int.random(in: 0..<5, using: &random), existing) {
      case (0, let existing?): stack.viewContext.delete(existing)
      case (1, _): stack.viewContext.rollback()
      case (2, _): try await stack.viewContext.save(.overwrite)
      case (3, _): try await stack.withScratch { $0.upsert(stop) }
      case (_, let existing?):
        stack.viewContext.update(existing) { ($0.name, $0.latitude) = (stop.name, stop.latitude) }
      case (_, nil): stack.viewContext.insert(stop)
      }
      if Int.random(in: 0..<8, using: &random) == 0 { registry.close("test") }
      if Int.random(in: 0..<4, using: &random) == 0 { registry.open("test") }
      await registry.drain()
    }
    registry.open("test")
    await registry.drain()
    let wanted = try await stack.viewContext.fetch(Stop.where { $0.visitors < 3 })
      .filter { $0.latitude != nil }
    #expect(Set(surface.shown.keys) == Set(wanted.map { key($0.id) }), "seed \(seed)")
    for stop in wanted {
      let pin = surface.shown[key(stop.id)]
      #expect(pin?.title == stop.name && pin?.coordinate.latitude == stop.latitude)
    }
  }
}
