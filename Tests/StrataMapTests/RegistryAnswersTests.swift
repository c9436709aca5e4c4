import Observation
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@testable import Strata

private struct Kite: Entity, Equatable {
  var id = ""
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Kite>("kites", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }

  static let pins = AnnotationMapping<Kite>(latitude: \.latitude, longitude: \.longitude)
}

/// Tests the answers of a registry by the ids of its entity, and the observation of its properties.
@Suite(.inTurn, .stack(Kite.self)) @MainActor struct RegistryAnswersTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private func id(_ number: Int) -> String { "kite \(number)" }
  private func key(_ number: Int) -> RecordKey { RecordKey(.text(id(number))) }

  private func registry(
    _ count: Int, clusters: ClusterOptions? = nil
  ) async throws -> AnnotationRegistry<Kite> {
    let kites = (0..<count).map {
      Kite(id: id($0), latitude: Double($0 % 60), longitude: Double($0 % 7))
    }
    try await stack.withScratch { scratch in kites.forEach { scratch.insert($0) } }
    let live = stack.viewContext.live(Kite.all)
    try await live.waitUntilLoaded()
    // The clock stands still, so one slice applies all pending operations.
    let registry = AnnotationRegistry(
      live, mapping: Kite.pins, on: surface, clusters: clusters, clock: ManualClock())
    await registry.drain()
    return registry
  }

  // MARK: Ids

  @Test func `every function that takes keys also takes the entity's ids`() async throws {
    let registry = try await registry(4)
    #expect(registry.select(id(2)) && registry.select(id(1)) && !registry.select("none"))
    #expect(registry.selectedIDs == [id(2), id(1)] && registry.selection == [key(2), key(1)])
    #expect(registry.isSelected(id(1)) && !registry.isSelected(id(3)))
    registry.deselect(id(2))
    #expect(registry.selectedIDs == [id(1)])
    registry.deselectAll()
    #expect(registry.selectedIDs.isEmpty)
    #expect(await registry.reveal(id(3)) == 0)
    #expect(await registry.reveal("none") == nil)
    #expect(await registry.leaves(of: id(3)) == [id(3)])
    #expect(await registry.expansionZoom(of: id(3)) == nil)
    #expect(registry.elementID(of: key(3)) == id(3))
    #expect(registry.elementID(of: RecordKey(.null)) == nil)
    let offsets = SpiderLayout().offsets(of: [id(1), id(2)])
    #expect(offsets[id(1)] == SpiderLayout().offsets(of: [key(1), key(2)])[key(1)])
  }

  @Test func `no operation is pending when a drain returns, whichever come meanwhile`() async throws
  {
    let registry = try await registry(4)
    let view = stack.viewContext
    var rounds = 0
    surface.onApply = { _ in
      rounds += 1
      if rounds % 10 > 0 { Task { view.insert(Kite(id: "late \(rounds)", latitude: 1)) } }
    }
    for number in 0..<20 {
      view.insert(Kite(id: "first \(number)", latitude: 1))
      await registry.drain()
      #expect(registry.pendingOperationCount == 0 && rounds > number)
    }
  }

  // MARK: Displayed annotations

  @Test func `an element is displayed by its own annotation, unless there is none`() async throws {
    let registry = try await registry(3)
    #expect(await registry.displayed(for: id(1)) == surface.shown[key(1)])
    #expect(await registry.displayed(for: "none") == nil)
    let kite = try #require(try await stack.viewContext.find(Kite.self, id(1)))
    stack.viewContext.update(kite) { $0.latitude = 91 }
    await registry.drain()
    #expect(await registry.displayed(for: id(1)) == nil, "withheld")
    let gone = try #require(try await stack.viewContext.find(Kite.self, id(2)))
    registry.close(.userInteraction)
    stack.viewContext.delete(gone)
    #expect(surface.shown[key(2)] != nil)
    #expect(await registry.displayed(for: id(2)) == nil, "in the turn in which it is deleted")
  }

  /// A cluster may look the same at another zoom level. The registry must look for it at that
  /// level. At its first level it may become another cluster, and its elements would be displayed
  /// nowhere (seed 895158796).
  @Test(arguments: [2, 4])
  func `the annotations that display all elements are those shown, with their counts`(
    minimumPoints: Int
  ) async throws {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    var options = ClusterOptions()
    options.minimumPoints = minimumPoints
    let registry = try await registry(200, clusters: options)
    func check(_ comment: Comment) async {
      var counts: [RecordKey: Int] = [:]
      for number in 0..<200 {
        guard let annotation = await registry.displayed(for: id(number)) else {
          Issue.record("\(number) is not displayed; \(comment), seed \(seed)")
          continue
        }
        #expect(surface.shown[annotation.id]?.looks(like: annotation) == true, "seed \(seed)")
        counts[annotation.id, default: 0] += 1
      }
      let shown = surface.shown.mapValues { $0.cluster?.count ?? 1 }
      #expect(counts == shown, "\(comment), seed \(seed)")
    }
    for round in 0..<5 {
      for _ in 0..<5 {
        let kite = try #require(try await stack.viewContext.find(Kite.self, id(random.below(200))))
        stack.viewContext.update(kite) { $0.longitude = Double(random.below(40)) }
      }
      registry.show(.world, zoom: Double(random.below(8)))
      await registry.drain()
      await check("round \(round)")
      // The screen shows another zoom level than the level of the clusters.
      registry.close(.userInteraction)
      registry.show(.world, zoom: Double(random.below(8)))
      await registry.drain()
      await check("behind the gate, round \(round)")
      registry.open(.userInteraction)
    }
  }

  @Test func `an element whose cluster is out of view is not displayed`() async throws {
    let registry = try await registry(60, clusters: ClusterOptions())
    registry.show(GeoRegion(south: -60, west: 100, north: -40, east: 120), zoom: 3)
    await registry.drain()
    #expect(surface.shown.isEmpty)
    #expect(await registry.displayed(for: id(1)) == nil)
  }

  // MARK: Observing

  private func track(_ read: () -> Void, _ count: Calls) {
    withObservationTracking(read) { MainActor.assumeIsolated { count.value += 1 } }
  }

  @Test func `an observer of the selection is told when it changes, also by a deletion`()
    async throws
  {
    let registry = try await registry(3)
    let calls = Calls()
    track({ _ = registry.selectedIDs }, calls)
    registry.select(id(1))
    #expect(calls.value == 1)
    track({ _ = registry.isSelected(id(1)) }, calls)
    registry.select(id(1))
    registry.deselect(id(2))
    #expect(calls.value == 1, "nothing has changed")
    let kite = try #require(try await stack.viewContext.find(Kite.self, id(1)))
    stack.viewContext.delete(kite)
    #expect(calls.value == 2 && registry.selection.isEmpty)
    registry.select(id(0))
    track({ _ = registry.selection }, calls)
    registry.detach()
    #expect(calls.value == 3)
  }

  @Test func `an observer of the gate is told when it closes and opens, and at the end`()
    async throws
  {
    let registry = try await registry(1)
    let calls = Calls()
    track({ _ = registry.isGateOpen }, calls)
    registry.open(.hidden)
    #expect(calls.value == 0)
    registry.close(.hidden)
    #expect(calls.value == 1)
    track({ _ = registry.isGateOpen }, calls)
    registry.close(.userInteraction)
    registry.open(.hidden)
    #expect(calls.value == 1, "it is still closed")
    registry.detach()
    #expect(calls.value == 2 && registry.isGateOpen)
  }

  @Test func `an observer of the counters is told after a drain, once for all of its operations`()
    async throws
  {
    let registry = try await registry(50)
    let calls = Calls()
    calls.follow(registry)
    for kite in try await stack.viewContext.fetch(Kite.all) {
      stack.viewContext.update(kite) { $0.latitude += 1 }
    }
    await registry.drain()
    while calls.last.moved != 50 { await Task.yield() }
    #expect(registry.counters.slices == 2 && calls.value <= 2)
    let before = calls.value
    registry.close(.hidden)
    let kite = try #require(try await stack.viewContext.find(Kite.self, id(1)))
    track({ _ = registry.pendingOperationCount }, calls)
    stack.viewContext.update(kite) { $0.latitude = 3 }
    while calls.value < before + 2 { await Task.yield() }
    #expect(registry.pendingOperationCount == 1, "also behind the gate")
  }
}

@MainActor private final class Calls {
  var value = 0
  private(set) var last = AnnotationCounters()

  /// Reads the counters now, and again after every change of them.
  func follow(_ registry: AnnotationRegistry<Kite>) {
    withObservationTracking {
      last = registry.counters
    } onChange: { [weak registry] in
      Task { @MainActor in
        self.value += 1
        if let registry { self.follow(registry) }
      }
    }
  }
}
