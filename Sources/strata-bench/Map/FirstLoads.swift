import Strata
import StrataMap

private struct Spot: Entity {
  var id = 0
  var name = ""
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Spot>("spots", key: \.id) {
    Attribute(\.name)
    Attribute(\.latitude)
    Attribute(\.longitude)
  }

  static let pins = AnnotationMapping<Spot>(latitude: \.latitude, longitude: \.longitude)
    .title(\.name)
}

extension Workload {
  /// The longest turn of the main actor when a registry gets all elements at once.
  static let firstLoads = Workload(
    name: "M7", summary: "registry: the longest turn of the main actor, 100,000 elements at once"
  ) { bench in
    let count = 100_000
    let stack = try await Stack.temporary(Spot.self)
    let places = PointSet.towns.coordinates(count)
    try await stack.withScratch { scratch in
      for (id, place) in places.enumerated() {
        scratch.insert(
          Spot(
            id: id, name: "Spot \(id)", latitude: place.latitude, longitude: place.longitude))
      }
    }
    var figures: [Figure] = []
    for clusters in [nil, ClusterOptions()] {
      let name = clusters == nil ? "single" : "clustered"
      var first = Figure(metric: "\(name): first load, longest turn ms", peers: bench.peers.count)
      var other = Figure(
        metric: "\(name): another query, longest turn ms", peers: bench.peers.count)
      for repetition in bench.rounds {
        let live = stack.viewContext.live(Spot.all)
        try await live.waitUntilLoaded()
        let surface = MemoryMap(capacity: count)
        let load = try await longestTurn {
          let registry = AnnotationRegistry(
            live, mapping: Spot.pins, on: surface, clusters: clusters)
          await registry.drain()
          return registry
        }
        let change = try await longestTurn {
          try await live.change(to: Spot.where { $0.id < count / 2 })
          await load.result.drain()
        }
        try check(
          clusters != nil || surface.count == count / 2, "what the map shows of half of them")
        if repetition == 0 { continue }
        first.strata.append(load.milliseconds)
        other.strata.append(change.milliseconds)
      }
      figures += [first, other]
    }
    await stack.close()
    return figures
  }
}

/// Runs `body`, and returns the longest processor time of the main actor between two turns of a
/// bystander.
///
/// Two turns on different threads are not compared, because each thread has a clock of its own. Many
/// short turns fit into the time for which the bystander was not woken, so a turn was never longer
/// than that time.
@MainActor
private func longestTurn<R>(
  _ body: @MainActor () async throws -> R
) async throws -> (result: R, milliseconds: Double) {
  let bystander = Task { @MainActor in
    var longest: Double?
    while !Task.isCancelled {
      let (processor, clock) = (ProcessorWatch(), Stopwatch())
      await Task.yield()
      guard let time = processor.millisecondsOfThread else { continue }
      longest = max(longest ?? 0, min(time, clock.milliseconds))
    }
    return longest ?? .nan
  }
  let result = try await body()
  bystander.cancel()
  return (result, await bystander.value)
}
