import Foundation
import Strata
import StrataMap

extension Workload {
  /// The time for which a slice of a registry occupies the main actor.
  static let slices = Workload(
    name: "M5", summary: "registry: slices with 1,000 changes a frame, 100,000 annotations"
  ) { bench in
    let count = 100_000
    let places = PointSet.towns.coordinates(count + 60_000)
    var half = Figure(metric: "slice p50 µs", peers: bench.peers.count)
    var most = Figure(metric: "slice p99 µs", peers: bench.peers.count)
    var offers = Figure(metric: "offering 1,000 changes p99 µs", peers: bench.peers.count)
    for repetition in bench.rounds {
      let surface = MemoryMap()
      var turns: [@MainActor () -> Void] = []
      let drain = AnnotationDrain(on: surface) { turns.append($0) }
      func annotation(_ number: Int, at place: Int) -> SurfaceAnnotation {
        SurfaceAnnotation(
          id: RecordKey(.integer(Int64(number))), coordinate: places[place], title: "\(number)")
      }
      for number in 0..<count {
        drain.desire(annotation(number, at: number).id, annotation(number, at: number))
      }
      while !turns.isEmpty { turns.removeFirst()() }
      var random = MapRandom(seed: 7)
      var (times, offerTimes): ([Double], [Double]) = ([], [])
      for frame in 0..<300 {
        let changes = (0..<1_000).map { change in
          annotation(random.below(count), at: count + (frame * 1_000 + change) % 60_000)
        }
        let offer = ProcessorWatch()
        for moved in changes { drain.desire(moved.id, moved) }
        offerTimes.append(offer.microseconds)
        // A busy main actor would run one slice in each frame.
        guard !turns.isEmpty else { continue }
        let watch = ProcessorWatch()
        turns.removeFirst()()
        times.append(watch.microseconds)
      }
      while !turns.isEmpty { turns.removeFirst()() }
      try check(surface.count == count && drain.pendingCount == 0, "what the map shows")
      if repetition == 0 { continue }
      half.strata.append(times.percentile(0.5))
      most.strata.append(times.percentile(0.99))
      offers.strata.append(offerTimes.percentile(0.99))
    }
    return [half, most, offers]
  }
}

/// A surface that keeps the coordinates of its annotations.
@MainActor final class MemoryMap: AnnotationSurface {
  private var places: [RecordKey: Coordinate] = [:]

  /// - Parameter capacity: the number of annotations up to which its dictionary does not grow. The
  ///   time of growing is the surface's own.
  init(capacity: Int = 0) { places.reserveCapacity(capacity) }

  var count: Int { places.count }

  func apply(_ operation: AnnotationOperation) {
    switch operation {
    case .add(let annotation), .restyle(let annotation):
      places[annotation.id] = annotation.coordinate
    case .move(let id, to: let place): places[id] = place
    case .remove(let id): places[id] = nil
    }
  }
}
