import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

private struct Mast: Entity {
  var id = 0
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Mast>("masts", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }

  static let pins = AnnotationMapping<Mast>(latitude: \.latitude, longitude: \.longitude)
}

/// A map that records an issue when it is called after its end.
@MainActor private final class MortalMap: AnnotationSurface {
  var isOver = false

  func apply(_ operation: AnnotationOperation) {
    #expect(!isOver, "called after the end")
  }
}

@Suite(.inTurn, .stack(Mast.self)) @MainActor struct RegistryLifetimeTests {
  let stack = Stack.test

  @Test
  func `a registry that ends in a race with changes calls no surface afterwards and is freed`()
    async throws
  {
    var random = SeededRandom.printingSeed()
    try await stack.withScratch { scratch in
      for id in 0..<20 { scratch.insert(Mast(id: id, latitude: Double(id))) }
    }
    let live = stack.viewContext.live(Mast.all)
    try await live.waitUntilLoaded()
    for trial in 0..<60 {
      weak var weakMap: MortalMap?
      weak var weakRegistry: AnnotationRegistry<Mast>?
      do {
        let map = MortalMap()
        weakMap = map
        let clusters = random.oneIn(2) ? ClusterOptions() : nil
        var registry: AnnotationRegistry<Mast>? = AnnotationRegistry(
          live, mapping: Mast.pins, on: map, clusters: clusters, sliceBudget: .zero)
        weakRegistry = registry
        let change = Task { [stack] in
          try await stack.withScratch {
            $0.upsert(Mast(id: trial % 20, latitude: 1, longitude: Double(trial % 90)))
          }
        }
        for _ in 0..<random.below(6) { await Task.yield() }
        registry?.show(.world, zoom: Double(random.below(9)))
        switch random.below(4) {
        case 0:
          registry?.detach()
          map.isOver = true
        case 1:
          registry = nil
          map.isOver = true
        case 2:
          let waiting = Task { [registry] in await registry?.drain() }
          await Task.yield()
          waiting.cancel()
          await waiting.value
          registry?.detach()
          map.isOver = true
        default:
          break
        }
        try await change.value
        for _ in 0..<random.below(4) { await Task.yield() }
        map.isOver = true
        registry?.detach()
        registry = nil
      }
      #expect(weakMap == nil && weakRegistry == nil, "trial \(trial), seed \(random.seed)")
    }
  }
}
