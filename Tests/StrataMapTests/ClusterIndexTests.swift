import Foundation
import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) struct ClusterIndexTests {
  private func points(_ places: [(Double, Double)]) -> [Sums.Point] {
    places.enumerated().map { number, place in
      Sums.Point(
        id: key(number), coordinate: Coordinate(latitude: place.0, longitude: place.1), value: 1)
    }
  }

  private func index(_ places: [(Double, Double)], _ options: ClusterOptions = .init()) -> Sums {
    var index = Sums(options, combining: +)
    index.update(points(places))
    return index
  }

  @Test func `points on both sides of the antimeridian are neighbours`() {
    let index = index([(10, 179.99), (10, -179.99)])
    for zoom in 0...9 { #expect(index.items(in: .world, zoom: zoom).map(\.count) == [2]) }
    let apart = index.items(in: .world, zoom: 16)
    #expect(apart.map(\.count) == [1, 1])
    let across = GeoRegion(south: 0, west: 179, north: 20, east: -179)
    #expect(index.items(in: across, zoom: 16).count == 2)
    let west = GeoRegion(south: 0, west: -180, north: 20, east: -179)
    #expect(index.items(in: west, zoom: 16).count == 1)
  }

  @Test func `180 and -180 degrees are one place`() {
    let index = index([(0, 180), (0, -180)])
    #expect(index.items(in: .world, zoom: 16).map(\.count) == [2])
    let item = index.items(in: .world, zoom: 3)[0]
    #expect(index.expansionZoom(of: item) == 17)
    #expect(index.children(of: item).count == 2)
  }

  @Test func `the poles are on the edges of the map`() {
    let index = index([(90, 0), (89, 0), (86, 0), (-90, 0), (-86, 0)])
    #expect(Set(index.items(in: .world, zoom: 16).map(\.count)) == [3, 2])
  }

  @Test func `a stack of 4,000 takes any change and counts right`() {
    var index = Sums(combining: +)
    let place = Coordinate(latitude: 52.52, longitude: 13.405)
    let all = (0..<4_000).map { Sums.Point(id: key($0), coordinate: place, value: $0) }
    index.update(all)
    var sum = all.reduce(0) { $0 + $1.value }
    var left = Set(0..<4_000)
    func check(_ comment: Comment) {
      for zoom in [0, 9, 16] {
        let items = index.items(in: .world, zoom: zoom)
        #expect(items.map(\.count) == [left.count], comment)
        #expect(items.map(\.value) == [sum], comment)
      }
    }
    check("built")
    for _ in 0..<120 {
      // Removes the leader again and again. Each time, a different point becomes the leader.
      guard case .integer(let id) = index.items(in: .world, zoom: 5)[0].id.cell else { return }
      index.update([], removing: [key(Int(id))])
      left.remove(Int(id))
      sum -= Int(id)
    }
    check("without leaders")
    for number in 0..<300 {
      if left.insert(number).inserted { sum += number }
      index.update([all[number]])
    }
    check("with others")
    index.update([Sums.Point(id: key(3_000), coordinate: place, value: 1_000_000)])
    if left.insert(3_000).inserted { sum += 3_000 }
    sum += 1_000_000 - 3_000
    check("a changed value")
    #expect(index.items(in: .world, zoom: 17).count == left.count)
    let item = index.items(in: .world, zoom: 4)[0]
    #expect(index.expansionZoom(of: item) == 17)
    #expect(index.leaves(of: item, from: left.count - 3).count == 3)
  }

  @Test func `an empty index displays nothing`() {
    var index = ClusterIndex()
    #expect(index.items(in: .world, zoom: 0).isEmpty && index.count == 0)
    index.update([ClusterIndex.Point(id: key(1), coordinate: Coordinate(latitude: 1, longitude: 2))]
    )
    index.update([], removing: [key(1), key(2)])
    #expect(index.items(in: .world, zoom: 0).isEmpty && index.count == 0)
    #expect(index.item(of: key(1), zoom: 3) == nil)
  }

  @Test func `an invalid coordinate takes a point out`() {
    var index = index([(1, 1), (2, 2)])
    let nowhere = Coordinate(latitude: 91, longitude: 0)
    index.update([Sums.Point(id: key(0), coordinate: nowhere, value: 1)])
    #expect(index.count == 1)
    index.update([Sums.Point(id: key(7), coordinate: nowhere, value: 1)])
    #expect(index.count == 1)
  }

  @Test func `the last of two points with one id counts`() {
    var index = Sums(combining: +)
    var twice = points([(1, 1), (50, 50)])
    twice[1].id = twice[0].id
    index.update(twice)
    #expect(index.items(in: .world, zoom: 9).map(\.coordinate.latitude) == [50])
    index.update(twice, removing: [key(0)])
    #expect(index.items(in: .world, zoom: 9).map(\.coordinate.latitude) == [50])
    #expect(index.count == 1)
  }

  @Test func `fewer than the minimum are displayed by themselves`() {
    let options = ClusterOptions(minimumPoints: 3)
    let index = index([(1, 1), (1.001, 1), (40, 40), (40.001, 40), (40, 40.001)], options)
    let items = index.items(in: .world, zoom: 4)
    #expect(items.map(\.count).sorted() == [1, 1, 3])
    #expect(index.item(of: key(0), zoom: 4)?.count == 1)
    #expect(index.item(of: key(0), zoom: 4)?.id == key(0))
    #expect(index.item(of: key(3), zoom: 4)?.count == 3)
  }

  @Test func `options out of range are brought into it`() {
    for options in [
      ClusterOptions(radius: .nan, maximumZoom: -3, minimumPoints: -1, tileSize: 0),
      ClusterOptions(radius: 9_999, maximumZoom: 99),
      ClusterOptions(radius: 0, tileSize: .infinity),
    ] {
      let index = index([(1, 1), (-80, 170), (60, -179)], options)
      for zoom in [-1, 0, 5, 30] {
        let count = index.items(in: .world, zoom: zoom).reduce(0) { $0 + $1.count }
        #expect(count == 3)
      }
    }
  }

  @Test func `a cluster keeps its id while its leader stays`() throws {
    var index = index((0..<50).map { (10 + Double($0) / 1_000, 10) })
    let before = try #require(index.items(in: .world, zoom: 2).first)
    #expect(before.count == 50)
    let others = index.leaves(of: before).filter { $0 != before.id }
    for id in others.dropLast() {
      index.update([], removing: [id])
      #expect(index.items(in: .world, zoom: 2).map(\.id) == [before.id])
    }
  }

  @Test func `a region has the same items on every copy of the world`() {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    var index = Sums(combining: +)
    index.update(
      (0..<500).map { Sums.Point(id: key($0), coordinate: places.next(&random), value: 1) })
    for _ in 0..<120 {
      let region = GeoRegion(
        south: -60, west: Double(random.below(1_441) - 720) / 4, north: 60,
        east: Double(random.below(1_441) - 720) / 4)
      let turns = Double(360 * (random.below(7) - 3))
      var panned = region
      panned.west += turns
      // A map that shows the antimeridian reports an eastern edge beyond 180.
      panned.east += turns + (region.west > region.east && random.oneIn(2) ? 360 : 0)
      for zoom in [0, 3, 7, 17] {
        let items = index.items(in: region, zoom: zoom)
        #expect(index.items(in: panned, zoom: zoom) == items, "\(panned), seed \(random.seed)")
      }
    }
    let whole = index.items(in: .world, zoom: 4)
    for (west, east) in [(-200.0, 200.0), (180, 540), (-900, -540), (-1e6, 1e6)] {
      let region = GeoRegion(south: -90, west: west, north: 90, east: east)
      #expect(index.items(in: region, zoom: 4) == whole && !whole.isEmpty)
    }
  }

  @Test func `a region shows what is in it`() {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    var index = Sums(combining: +)
    index.update(
      (0..<500).map { Sums.Point(id: key($0), coordinate: places.next(&random), value: 1) })
    for _ in 0..<80 {
      let region = GeoRegion(
        center: places.next(&random), latitudeSpan: .random(in: 0...40, using: &random),
        longitudeSpan: .random(in: 0...360, using: &random))
      for zoom in [0, 3, 7, 17] {
        // Points beyond this latitude lie on the edge of the map.
        let onMap = { (item: Sums.Item) in abs(item.coordinate.latitude) < 85 }
        let items = Set(index.items(in: region, zoom: zoom).filter(onMap))
        let inside = index.items(in: .world, zoom: zoom).filter(onMap)
          .filter { region.contains($0.coordinate) }
        #expect(items.isSuperset(of: inside), "\(region), seed \(random.seed)")
        #expect(items.count <= inside.count + 1, "\(region), seed \(random.seed)")
      }
    }
  }
}
