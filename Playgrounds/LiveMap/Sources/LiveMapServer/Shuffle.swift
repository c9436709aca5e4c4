import Strata
import StrataMap

/// The clusters of one set of points, added in two orders.
struct Shuffle: Sendable {
  let points: Int
  let clusters: Int
  /// The hash of all clusters at all zoom levels, for each order.
  let hashes: (inOrder: UInt64, shuffled: UInt64)

  private static let options = ClusterOptions(radius: 44, maximumZoom: MapChannel.maximumZoom)

  /// Builds the clusters of all sightings, away from the main actor.
  @concurrent static func compare(_ stack: Stack) async throws -> Shuffle {
    let sightings = try await stack.makeScratch().fetch(Sighting.visible.sorted(by: \.id))
    let points = sightings.compactMap(ClusterIndex<Int>.Point.init)
    var inOrder = ClusterIndex<Int>(options, combining: +)
    inOrder.update(points)
    var shuffled = ClusterIndex<Int>(options, combining: +)
    var rest = points.shuffled()[...]
    while !rest.isEmpty {
      shuffled.update(Array(rest.prefix(100)))
      rest = rest.dropFirst(100)
    }
    let (first, second) = (Digest(of: inOrder, options), Digest(of: shuffled, options))
    return Shuffle(
      points: points.count, clusters: first.clusters, hashes: (first.hash, second.hash))
  }

  /// The comparison in a sentence.
  var text: String {
    let (first, second) = (hexadecimal(hashes.inOrder), hexadecimal(hashes.shuffled))
    let isEqual = hashes.inOrder == hashes.shuffled
    return "\(counted(points, "point")), \(clusters.text) clusters at nine zoom levels. Hash in "
      + "order \(first), shuffled \(second): \(isEqual ? "equal" : "different")."
  }

  private func hexadecimal(_ hash: UInt64) -> String {
    String(String(hash, radix: 16).prefix(8))
  }

  /// The hash of an index, the same in every process.
  private struct Digest {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    var clusters = 0

    init(of index: ClusterIndex<Int>, _ options: ClusterOptions) {
      let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)
      for zoom in 0...options.maximumZoom {
        for item in index.items(in: world, zoom: zoom).sorted(by: { $0.id < $1.id }) {
          if item.count > 1 { clusters += 1 }
          combine("\(zoom) \(item.id) \(item.count) \(item.coordinate)")
        }
      }
    }

    /// FNV-1a.
    private mutating func combine(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
  }
}

extension ClusterIndex<Int>.Point {
  fileprivate init?(_ sighting: Sighting) {
    guard let latitude = sighting.latitude, let longitude = sighting.longitude else { return nil }
    self.init(
      id: RecordKey(.text(sighting.id)),
      coordinate: Coordinate(latitude: latitude, longitude: longitude), value: 1)
  }
}
