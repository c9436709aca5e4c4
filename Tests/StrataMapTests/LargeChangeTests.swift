import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

private struct Tree: Entity, Equatable {
  var id = 0
  var name = ""
  var latitude = 0.0
  var longitude = 0.0
  var kind = 0
  var rings = 0

  static let schema = Schema<Tree>("trees", key: \.id) {
    Attribute(\.name)
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.kind)
    Attribute(\.rings)
  }

  static let pins = AnnotationMapping<Tree>(latitude: \.latitude, longitude: \.longitude)
    .title(\.name)
}

/// Tests changes of so many elements that the main actor does not examine them.
@Suite(.inTurn, .stack(Tree.self)) @MainActor struct LargeChangeTests {
  let stack = Stack.test
  let surface = RecordingSurface()

  private static func tree(_ id: Int, _ random: inout SeededRandom) -> Tree {
    Tree(
      id: id, name: "\(random.below(9))", latitude: .random(in: -80...80, using: &random),
      longitude: .random(in: -180...180, using: &random), kind: random.below(3),
      rings: random.below(500))
  }

  private func plant(_ count: Int, of bound: Int, _ random: inout SeededRandom) async throws {
    let trees = (0..<count).map { _ in Self.tree(random.below(bound), &random) }
    try await stack.withScratch { scratch in
      for tree in trees { scratch.upsert(tree) }
    }
  }

  @Test(arguments: [nil, ClusterOptions()])
  func `a first load takes no time of its turn`(clusters: ClusterOptions?) async throws {
    var random = SeededRandom.printingSeed()
    try await plant(4_500, of: 2_500, &random)
    let live = stack.viewContext.live(Tree.all)
    try await live.waitUntilLoaded()
    let registry = AnnotationRegistry(live, mapping: Tree.pins, on: surface, clusters: clusters)
    #expect(registry.pendingOperationCount == 0 && registry.shownCount == 0)
    #expect(registry.clustersLag == (clusters != nil))
    #expect(registry.select(live.elements[1_000].key))
    registry.show(.world, zoom: 20)
    await registry.drain()
    #expect(surface.shown.count == live.elements.count && !registry.clustersLag)
    // A query with nearly the same elements causes only the operations of the differences.
    surface.clear()
    try await live.change(to: Tree.where { $0.rings > 5 })
    #expect(registry.pendingOperationCount == 0, "not in the turn of the change")
    await registry.drain()
    #expect(surface.shown.count == live.elements.count)
    #expect(surface.operations.count < 200)
    registry.detach(live)
    await registry.drain()
    #expect(surface.shown.isEmpty)
  }

  // The turn of `detach` must not process all elements of the old query.
  @Test(arguments: [nil, ClusterOptions()])
  func `replacing a query by another takes no time of its turn`(
    clusters: ClusterOptions?
  ) async throws {
    var random = SeededRandom.printingSeed()
    try await plant(2_000, of: 4_500, &random)
    let (old, new) = (
      stack.viewContext.live(Tree.where { $0.kind <= 1 }), stack.viewContext.live(Tree.all)
    )
    let third = stack.viewContext.live(Tree.where { $0.kind >= 1 })
    for live in [old, new, third] { try await live.waitUntilLoaded() }
    let registry = AnnotationRegistry(old, mapping: Tree.pins, on: surface, clusters: clusters)
    registry.show(.world, zoom: 20)
    registry.attach(new)
    #expect(registry.pendingOperationCount == 0)
    await registry.drain()
    #expect(surface.shown.count == new.elements.count)
    registry.attach(third)
    registry.detach(old)
    registry.detach(new)
    #expect(registry.pendingOperationCount == 0)
    await registry.drain()
    #expect(Set(surface.shown.keys) == Set(third.elements.map(\.key)))
  }

  @Test(arguments: [nil, ClusterOptions()])
  func `the map equals the queries after any history of large and small changes`(
    clusters: ClusterOptions?
  ) async throws {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    try await plant(2_000, of: 3_000, &random)
    let live = stack.viewContext.live(Tree.where { $0.kind <= 1 })
    let other = stack.viewContext.live(Tree.where { $0.kind == 2 })
    let registry = AnnotationRegistry(live, mapping: Tree.pins, on: surface, clusters: clusters)
    registry.show(.world, zoom: 20)
    var isAttached = false
    for round in 0..<2 {
      for _ in 0..<6 {
        switch random.below(8) {
        case 0:
          let rings = random.below(500)
          live.query = random.pick([
            Tree.where { $0.kind <= 1 }, Tree.all, Tree.where { $0.rings < rings },
            Tree.sorted(by: \.rings).limit(700),
          ])
        case 1:
          isAttached.toggle()
          if isAttached { registry.attach(other) } else { registry.detach(other) }
        case 2, 3:
          try await plant(300 + random.below(1_200), of: 3_000, &random)
        case 4:
          try await plant(3, of: 3_000, &random)
        case 5:
          for _ in 0..<5 where !live.elements.isEmpty {
            let tree = live.elements[random.below(live.elements.count)]
            if random.oneIn(3) {
              stack.viewContext.delete(tree)
            } else {
              stack.viewContext.update(tree) { $0.latitude = .random(in: -80...80, using: &random) }
            }
          }
        case 6:
          if random.oneIn(2) {
            stack.viewContext.rollback()
          } else {
            try await stack.viewContext.save(.overwrite)
          }
        default:
          for _ in 0..<random.below(5) { await Task.yield() }
        }
      }
      try await live.change(to: live.query)
      try await other.waitUntilLoaded()
      stack.viewContext.rollback()
      try await plant(1, of: 3_000, &random)
      await registry.drain()
      var wanted: [RecordKey: SurfaceAnnotation] = [:]
      for tree in Array(live.elements) + (isAttached ? Array(other.elements) : []) {
        wanted[tree.key] = Tree.pins.annotation(for: tree, id: tree.key)
      }
      let wrong = Set(surface.shown.keys).union(wanted.keys).filter {
        surface.shown[$0] != wanted[$0]
      }
      let missing = wrong.filter { surface.shown[$0] == nil }.count
      let left = wrong.filter { wanted[$0] == nil }.count
      #expect(
        wrong.isEmpty,
        """
        round \(round), seed \(seed): \(missing) missing, \(left) left behind, of \(wrong.count); \
        \(registry.pendingOperationCount) pending, \(live.query) \(isAttached)
        """)
    }
  }
}

extension Tree {
  fileprivate var key: RecordKey { RecordKey(.integer(Int64(id))) }
}
