import Foundation
import Strata
import StrataMap
import StrataTesting

typealias Sums = ClusterIndex<Int>

/// The items that an index displays at one zoom level.
struct ClusterView: Equatable {
  let items: [Sums.Item]

  init(_ index: Sums, _ zoom: Int) { items = index.items(in: .world, zoom: zoom) }
}

extension GeoRegion {
  static let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)
}

extension ClusterIndex<Int> {
  /// Returns an index of the same points, clustered in one update.
  func rebuilt(_ points: [RecordKey: Point], _ options: ClusterOptions = .init()) -> Sums {
    var index = Sums(options, combining: +)
    index.update(Array(points.values))
    return index
  }
}

/// A source of coordinates of several kinds: all over the world, in a few towns, on a few spots, at
/// the edges.
struct PlaceMaker {
  private let towns: [Coordinate]
  private let spots: [Coordinate]

  init(_ random: inout SeededRandom) {
    func anywhere(_ random: inout SeededRandom) -> Coordinate {
      Coordinate(
        latitude: .random(in: -80...80, using: &random),
        longitude: .random(in: -180...180, using: &random))
    }
    towns = (0..<8).map { _ in anywhere(&random) }
    spots = (0..<4).map { _ in anywhere(&random) }
  }

  func next(_ random: inout SeededRandom) -> Coordinate {
    switch random.below(10) {
    case 0...1:
      return Coordinate(
        latitude: .random(in: -90...90, using: &random),
        longitude: .random(in: -180...180, using: &random))
    case 2: return random.pick(spots)
    case 3:
      let side: Double = random.oneIn(2) ? 179.99 : -179.99
      return Coordinate(latitude: .random(in: -1...1, using: &random), longitude: side)
    case 4:
      return Coordinate(
        latitude: random.oneIn(2) ? 90 : -90, longitude: .random(in: -180...180, using: &random))
    default:
      let town = random.pick(towns)
      // A town may be as small as a street or as large as a county.
      let spread = pow(10, Double.random(in: -5...0, using: &random))
      return Coordinate(
        latitude: town.latitude + .random(in: -spread...spread, using: &random),
        longitude: max(
          -180, min(180, town.longitude + .random(in: -spread...spread, using: &random)))
      )
    }
  }
}

/// Returns the distance of two places on the screen of a map at a zoom level, the shorter way
/// around the world.
func screenDistance(_ a: Coordinate, _ b: Coordinate, zoom: Int, tileSize: Double = 512) -> Double {
  func project(_ place: Coordinate) -> (x: Double, y: Double) {
    let sine = sin(place.latitude * .pi / 180)
    let y = 0.5 - 0.25 * log((1 + sine) / (1 - sine)) / .pi
    return (place.longitude / 360 + 0.5, min(max(y, 0), 1))
  }
  let (one, other) = (project(a), project(b))
  let across = abs(one.x - other.x)
  return hypot(min(across, 1 - across), one.y - other.y) * tileSize * Double(1 << zoom)
}
