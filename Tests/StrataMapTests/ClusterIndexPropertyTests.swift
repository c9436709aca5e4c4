import Foundation
import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

@Suite(.inTurn) struct ClusterIndexPropertyTests {
  @Test func `4,000 random changes in any batches leave what a rebuild makes`() {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    let places = PlaceMaker(&random)
    var index = Sums(combining: +)
    var points: [RecordKey: Sums.Point] = [:]
    var changes = 0
    var checks = 0
    while changes < 4_000 {
      let size = random.oneIn(40) ? random.below(400) + 1 : random.below(6) + 1
      var (put, removed): ([Sums.Point], [RecordKey]) = ([], [])
      for _ in 0..<size {
        let id = key(random.below(900))
        if random.oneIn(3) {
          removed.append(id)
        } else {
          put.append(
            Sums.Point(id: id, coordinate: places.next(&random), value: random.below(1_000)))
        }
      }
      for id in removed { points[id] = nil }
      for point in put { points[point.id] = point }
      index.update(put, removing: removed)
      changes += size
      #expect(index.count == points.count, "seed \(seed)")
      guard changes / 300 > checks else { continue }
      checks += 1
      let fresh = index.rebuilt(points)
      for zoom in 0...17 {
        #expect(ClusterView(index, zoom) == ClusterView(fresh, zoom), "zoom \(zoom), seed \(seed)")
      }
      for id in points.keys {
        let item = index.item(of: id, zoom: 5)
        #expect(item == fresh.item(of: id, zoom: 5), "seed \(seed)")
      }
    }
  }

  @Test(arguments: [ClusterOptions(), ClusterOptions(radius: 90, maximumZoom: 9, tileSize: 256)])
  func `the displayed clusters are those of the definition`(_ options: ClusterOptions) {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    let places = PlaceMaker(&random)
    var index = Sums(options, combining: +)
    var points: [RecordKey: Sums.Point] = [:]
    for number in 0..<400 {
      let point = Sums.Point(id: key(number), coordinate: places.next(&random), value: number)
      points[point.id] = point
      index.update([point])
    }
    for zoom in 0...options.maximumZoom {
      let items = index.items(in: .world, zoom: zoom)
      #expect(items.reduce(0) { $0 + $1.count } == 400, "zoom \(zoom), seed \(seed)")
      #expect(items.reduce(0) { $0 + $1.value } == 400 * 399 / 2, "zoom \(zoom), seed \(seed)")
      #expect(Set(items.map(\.id)).count == items.count)
      for (place, item) in items.enumerated() {
        #expect(points[item.id]?.coordinate == item.coordinate)
        for other in items[..<place] {
          let distance = screenDistance(
            item.coordinate, other.coordinate, zoom: zoom, tileSize: options.tileSize)
          #expect(distance > options.radius, "\(item) and \(other), zoom \(zoom), seed \(seed)")
        }
      }
      for item in items {
        let leaves = index.leaves(of: item)
        #expect(leaves.count == item.count && Set(leaves).count == item.count, "seed \(seed)")
        let sum = leaves.reduce(0) { $0 + (points[$1]?.value ?? 0) }
        #expect(sum == item.value, "\(item), seed \(seed)")
        // Leaders form with radii that halve from one level to the next, so the distances from a
        // leaf to the leader of its item add up.
        for leaf in leaves {
          let place = points[leaf]?.coordinate ?? item.coordinate
          let distance = screenDistance(
            item.coordinate, place, zoom: zoom, tileSize: options.tileSize)
          #expect(distance < 2.6 * options.radius, "seed \(seed)")
          #expect(index.item(of: leaf, zoom: zoom) == item, "seed \(seed)")
        }
      }
    }
  }

  @Test func `a page of leaves is a part of all leaves`() {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    var index = Sums(combining: +)
    index.update(
      (0..<1_000).map {
        Sums.Point(id: key($0), coordinate: places.next(&random), value: 1)
      })
    for zoom in [0, 2, 4, 8, 16] {
      for item in index.items(in: .world, zoom: zoom) {
        let all = index.leaves(of: item)
        var paged: [RecordKey] = []
        let size = random.below(20) + 1
        while paged.count < all.count {
          let page = index.leaves(of: item, from: paged.count, limit: size)
          #expect(page.count == min(size, all.count - paged.count))
          if page.isEmpty { break }
          paged += page
        }
        #expect(paged == all)
        #expect(index.leaves(of: item, from: all.count).isEmpty)
      }
    }
  }

  @Test func `children are what an item is at its expansion zoom`() throws {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    var index = Sums(combining: +)
    index.update(
      (0..<600).map { Sums.Point(id: key($0), coordinate: places.next(&random), value: $0) })
    for zoom in 0...16 {
      for item in index.items(in: .world, zoom: zoom) {
        let children = index.children(of: item)
        if item.count == 1 {
          #expect(children.isEmpty && index.expansionZoom(of: item) == nil)
          continue
        }
        #expect(children.reduce(0) { $0 + $1.count } == item.count)
        #expect(children.reduce(0) { $0 + $1.value } == item.value)
        let expansion = try #require(index.expansionZoom(of: item))
        #expect(expansion > zoom && children.count > 1)
        let there = Set(index.leaves(of: item).compactMap { index.item(of: $0, zoom: expansion) })
        #expect(there == Set(children))
        #expect(there.count == children.count && there.count > 1)
        #expect(index.item(of: item.id, zoom: expansion - 1)?.count == item.count)
      }
    }
  }
}
