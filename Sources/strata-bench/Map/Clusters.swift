import Foundation
import Strata
import StrataMap

extension Workload {
  /// A change of a clustered point: a small move, a large move, a removal or an insertion.
  static let clusterChange = Workload(
    name: "M1", summary: "clusters: one change among 10,000 and 100,000 points"
  ) { bench in
    try [10_000, 100_000].flatMap { count in
      try PointSet.allCases.flatMap { try ClusterCase($0, count).changes(bench) }
    }
  }

  /// The clustering of all points, and queries of a map's region.
  static let clusterBuild = Workload(
    name: "M2", summary: "clusters: build of 10,000 and 100,000 points, what 1,024 × 768 show"
  ) { bench in
    try [10_000, 100_000].flatMap { count in
      try PointSet.allCases.flatMap { try ClusterCase($0, count).builds(bench) }
    }
  }

  /// The same measurements with a million points.
  static let clusterMillion = Workload(
    name: "M3", summary: "clusters of 1,000,000 points: build, memory, a change, what a map shows",
    isLong: true
  ) { bench in
    try PointSet.allCases.flatMap { set in
      let million = ClusterCase(set, 1_000_000)
      return try million.builds(bench) + million.changes(bench)
    }
  }

  /// The growth of the cost of a change with the number of points.
  static let clusterGrowth = Workload(
    name: "M6", summary: "clusters: growth of one change from 10,000 to 1,000,000 points",
    isLong: true
  ) { bench in
    try PointSet.allCases.flatMap { set in
      let few = try ClusterCase(set, 10_000).changes(bench)
      let many = try ClusterCase(set, 1_000_000).changes(bench)
      return zip(few, many).map { few, many in
        var growth = Figure(
          metric: "\(set), 1,000,000 to 10,000: \(few.metric.split(separator: ":").last ?? "")",
          peers: bench.peers.count)
        growth.strata = [many.strataMedian / few.strataMedian]
        return growth
      }
    }
  }

  /// Many points at one place.
  static let clusterStack = Workload(
    name: "M4", summary: "clusters: one change in a stack of 10,000 points at one place"
  ) { bench in
    try ClusterCase.stack(10_000, bench)
  }
}

/// A point set with a number of points.
@MainActor private struct ClusterCase {
  typealias Index = ClusterIndex<Int>
  let set: PointSet
  let count: Int

  init(_ set: PointSet, _ count: Int) {
    self.set = set
    self.count = count
  }

  private func point(_ number: Int, _ place: Coordinate) -> Index.Point {
    Index.Point(id: RecordKey(.integer(Int64(number))), coordinate: place, value: number % 100)
  }

  private func built(_ places: [Coordinate]) -> Index {
    var index = Index { $0 &+ $1 }
    index.update(places.enumerated().map { point($0, $1) })
    return index
  }

  private func figure(_ metric: String, _ bench: Bench) -> Figure {
    Figure(metric: "\(set) \(count): \(metric)", peers: bench.peers.count)
  }

  // MARK: One change

  func changes(_ bench: Bench) throws -> [Figure] {
    var places = set.coordinates(count + 3_000)
    var index = built(Array(places[..<count]))
    var random = MapRandom(seed: 99)
    var (half, most) = (figure("change p50 µs", bench), figure("change p99 µs", bench))
    for repetition in bench.rounds {
      var times: [Double] = []
      for step in 0..<3_000 {
        let number = random.below(count)
        let watch: ProcessorWatch
        switch step % 4 {
        case 0, 1:
          // A move of about a hundred meters.
          places[number].latitude += (random.share() - 0.5) / 500
          let moved = point(number, places[number])
          watch = ProcessorWatch()
          index.update([moved])
        case 2:
          places[number] = places[count + step]
          let moved = point(number, places[number])
          watch = ProcessorWatch()
          index.update([moved])
        default:
          let id = RecordKey(.integer(Int64(number)))
          let added = point(number, places[number])
          watch = ProcessorWatch()
          index.update([], removing: [id])
          times.append(watch.microseconds)
          let second = ProcessorWatch()
          index.update([added])
          times.append(second.microseconds)
          continue
        }
        times.append(watch.microseconds)
      }
      if repetition == 0 { continue }
      half.strata.append(times.percentile(0.5))
      most.strata.append(times.percentile(0.99))
    }
    try check(index.count == count, "the points of the index")
    let rebuilt = built(Array(places[..<count]))
    for zoom in 0...16 {
      try check(
        index.items(in: .world, zoom: zoom) == rebuilt.items(in: .world, zoom: zoom),
        "clusters of zoom level \(zoom) after changes")
    }
    return [half, most] + reindex(half, bench)
  }

  /// Returns how many changes cost as much as one change of supercluster 8.
  ///
  /// Supercluster indexes all points anew. Its times are the fastest documented ones.
  private func reindex(_ change: Figure, _ bench: Bench) -> [Figure] {
    let milliseconds = [10_000: 31.0, 100_000: 360, 1_000_000: 4_000]
    guard let whole = milliseconds[count] else { return [] }
    var figure = figure("changes in one of supercluster (\(Int(whole)) ms)", bench)
    figure.strata = change.strata.map { whole * 1_000 / $0 }
    return [figure]
  }

  // MARK: Everything

  func builds(_ bench: Bench) throws -> [Figure] {
    let places = set.coordinates(count)
    let points = places.enumerated().map { point($0, $1) }
    var (build, bytes) = (figure("build ms", bench), figure("bytes a point", bench))
    var (half, most) = (figure("query p50 µs", bench), figure("query p99 µs", bench))
    for repetition in bench.rounds {
      let before = Memory.allocated
      var index = Index { $0 &+ $1 }
      let watch = ProcessorWatch()
      index.update(points)
      let time = watch.milliseconds
      let after = Memory.allocated
      let times = queries(index, places)
      if repetition == 0 { continue }
      build.strata.append(time)
      if let before, let after { bytes.strata.append(Double(after - before) / Double(count)) }
      half.strata.append(times.percentile(0.5))
      most.strata.append(times.percentile(0.99))
    }
    return [build, bytes, half, most]
  }

  /// Returns the times of queries for a screen of 1,024 × 768 points around a random point.
  ///
  /// The zoom levels are random.
  private func queries(_ index: Index, _ places: [Coordinate]) -> [Double] {
    var random = MapRandom(seed: 3)
    return (0..<2_000).map { _ in
      let center = places[random.below(places.count)]
      let zoom = 1 + random.below(15)
      let degrees = 360 / (512 * Double(1 << zoom))
      let stretch = cos(center.latitude * .pi / 180)
      let region = GeoRegion(
        center: center, latitudeSpan: 768 * degrees * stretch, longitudeSpan: 1_024 * degrees)
      let watch = ProcessorWatch()
      let items = index.items(in: region, zoom: zoom)
      let time = watch.microseconds
      precondition(items.count <= 1_024 * 768)
      return time
    }
  }

  // MARK: One place

  static func stack(_ count: Int, _ bench: Bench) throws -> [Figure] {
    let all = ClusterCase(.uniform, count)
    let place = Coordinate(latitude: 52.52, longitude: 13.405)
    var index = all.built([Coordinate](repeating: place, count: count))
    var half = Figure(metric: "stack of \(count): change p50 µs", peers: bench.peers.count)
    var most = Figure(metric: "stack of \(count): worst change µs", peers: bench.peers.count)
    for repetition in bench.rounds {
      var times: [Double] = []
      for step in 0..<1_000 {
        // Every second removal takes the leader.
        let leader = index.items(in: .world, zoom: 0)[0].id
        let number =
          if step % 2 == 0, case .integer(let id) = leader.cell { Int(id) } else { step }
        let watch = ProcessorWatch()
        index.update([], removing: [RecordKey(.integer(Int64(number)))])
        times.append(watch.microseconds)
        let point = all.point(number, place)
        let second = ProcessorWatch()
        index.update([point])
        times.append(second.microseconds)
      }
      try check(index.items(in: .world, zoom: 3).map(\.count) == [count], "the stack")
      if repetition == 0 { continue }
      half.strata.append(times.percentile(0.5))
      most.strata.append(times.max() ?? .nan)
    }
    return [half, most]
  }
}

extension GeoRegion {
  fileprivate static let world = GeoRegion(south: -90, west: -180, north: 90, east: 180)
}
