import Strata
import StrataMap
import StrataTesting
import StrataTestTurns
import Testing

/// Tests the display of clusters, with a map that keeps only the last annotation of each id.
@MainActor @Suite(.inTurn) struct ClusterDisplayTests {
  @MainActor private final class Map {
    var shown: [RecordKey: SurfaceAnnotation] = [:]
    var wanted: [RecordKey: SurfaceAnnotation] = [:]
    var reported = 0

    func desire(_ id: RecordKey, _ annotation: SurfaceAnnotation?) {
      let looksAlike =
        if let annotation { shown[id]?.looks(like: annotation) == true } else { shown[id] == nil }
      if !looksAlike { reported += 1 }
      shown[id] = annotation
    }
  }

  private let map = Map()
  private let display: ClusterDisplay

  init() {
    display = ClusterDisplay(
      ClusterOptions(), [{ $0 + $1 }], annotation: { [map] in map.wanted[$0] }, desire: map.desire)
  }

  private func want(_ number: Int, _ annotation: SurfaceAnnotation?) {
    map.wanted[key(number)] = annotation
    display.want(key(number), annotation)
  }

  private func annotation(_ number: Int, _ place: Coordinate, value: Double = 1)
    -> SurfaceAnnotation
  {
    SurfaceAnnotation(id: key(number), coordinate: place, title: "\(number)", values: [value])
  }

  private func want(_ annotations: [SurfaceAnnotation]) async {
    for annotation in annotations {
      map.wanted[annotation.id] = annotation
      display.want(annotation.id, annotation)
    }
    display.turnEnded()
    await display.settle()
  }

  @Test func `the map of clusters equals an index of the elements after any history`() async {
    var random = SeededRandom.printingSeed()
    let seed = random.seed
    let places = PlaceMaker(&random)
    var zoom = 0
    for round in 0..<100 {
      for _ in 0..<random.below(40) {
        let number = random.below(300)
        let gone = random.oneIn(4)
        want(number, gone ? nil : annotation(number, places.next(&random)))
      }
      display.turnEnded()
      // The test does not wait here, so that the view changes while a batch is computed.
      if random.oneIn(3) {
        zoom = random.below(18)
        display.show(.world, zoom: Double(zoom))
      }
      guard round % 5 == 0 else { continue }
      await display.settle()
      var index = ClusterIndex<Int>(combining: +)
      index.update(
        map.wanted.values.map {
          ClusterIndex<Int>.Point(id: $0.id, coordinate: $0.coordinate, value: 1)
        })
      let items = index.items(in: .world, zoom: zoom)
      #expect(Set(items.map(\.id)) == Set(map.shown.keys), "round \(round), seed \(seed)")
      for item in items {
        let shown = map.shown[item.id]
        #expect(shown?.coordinate == item.coordinate && shown?.values == [Double(item.count)])
        #expect((shown?.cluster?.count ?? 1) == item.count, "round \(round), seed \(seed)")
        if item.count == 1 { #expect(shown == map.wanted[item.id]) }
      }
      #expect(display.version == display.displayedVersion)
    }
  }

  @Test func `a change off screen causes nothing on screen`() async {
    let here = Coordinate(latitude: 50, longitude: 10)
    await want((0..<20).map { annotation($0, here) })
    let region = GeoRegion(center: here, latitudeSpan: 4, longitudeSpan: 4)
    display.show(region, zoom: 8)
    await display.settle()
    let before = map.reported
    for number in 100..<300 {
      let far = Coordinate(latitude: -40, longitude: Double(number % 90))
      await want([annotation(number, far)])
    }
    for number in 100..<200 {
      want(number, nil)
      display.turnEnded()
    }
    await display.settle()
    #expect(map.reported == before)
  }

  @Test func `moving a little and a trembling zoom cause nothing`() async {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    await want((0..<500).map { annotation($0, places.next(&random)) })
    let center = Coordinate(latitude: 10, longitude: 179)
    func region(_ shift: Double) -> GeoRegion {
      GeoRegion(
        center: Coordinate(latitude: 10 + shift, longitude: center.longitude + shift),
        latitudeSpan: 20, longitudeSpan: 30)
    }
    display.show(region(0), zoom: 5.5)
    await display.settle()
    let before = map.reported
    for step in 0..<100 {
      let shift = Double(step % 10) - 5
      display.show(region(shift / 2), zoom: 5.5 + Double(step % 3 - 1) / 10)
      await display.settle()
    }
    #expect(map.reported == before)
  }

  @Test func `a cluster that is the same at another zoom level is not told again`() async {
    let place = Coordinate(latitude: 1, longitude: 1)
    await want((0..<5).map { annotation($0, place) })
    let before = map.reported
    for zoom in [5.0, 0, 12, 16] {
      display.show(.world, zoom: zoom)
      await display.settle()
    }
    #expect(map.reported == before && map.shown.count == 1)
  }

  @Test func `a change of many elements and the changes meanwhile end in the wanted annotations`()
    async
  {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    var elements = WantedElements()
    for number in 0..<3_000 {
      let annotation = annotation(number, places.next(&random))
      map.wanted[annotation.id] = annotation
      elements.append(annotation.id, annotation)
    }
    want(7, nil)
    display.show(.world, zoom: 20)
    display.want(elements)
    map.wanted[key(8)] = nil
    display.want(key(8), nil)
    map.wanted[key(7)] = annotation(7, places.next(&random))
    display.want(key(7), map.wanted[key(7)])
    display.turnEnded()
    await display.settle()
    #expect(map.shown == map.wanted, "seed \(random.seed)")
    var gone = WantedElements()
    for number in 0..<2_900 {
      map.wanted[key(number)] = nil
      gone.append(key(number), nil)
    }
    display.want(gone)
    display.turnEnded()
    await display.settle()
    #expect(map.shown == map.wanted && map.shown.count == 100, "seed \(random.seed)")
  }

  // An annotation that a large change renamed must get its new title, even if the map moves before
  // the result is shown.
  @Test(arguments: [
    (GeoRegion.world, 19.0), (.world, 0),
    (GeoRegion(south: 85, west: 10, north: 85.01, east: 10.01), 19),
  ])
  func `a change of many elements ends in the wanted annotations though the map moves meanwhile`(
    region: GeoRegion, zoom: Double
  ) async {
    var random = SeededRandom.printingSeed()
    let places = PlaceMaker(&random)
    display.show(.world, zoom: 20)
    await want((0..<600).map { annotation($0, places.next(&random)) })
    var renamed = WantedElements()
    for (id, annotation) in map.wanted {
      var annotation = annotation
      annotation.title = "renamed"
      map.wanted[id] = annotation
      renamed.append(id, annotation)
    }
    display.want(renamed)
    display.show(region, zoom: zoom)
    display.show(.world, zoom: 20)
    display.turnEnded()
    await display.settle()
    #expect(map.shown == map.wanted, "seed \(random.seed)")
  }

  @Test func `a cancelled task does not wait for the display to settle`() async {
    await want([annotation(1, Coordinate(latitude: 1, longitude: 1))])
    want(2, annotation(2, Coordinate(latitude: 50, longitude: 1)))
    display.turnEnded()
    let waiting = Task { await display.settle() }
    waiting.cancel()
    await waiting.value
  }

  @Test func `an annotation outside of clusters changes in its own turn`() async {
    let place = Coordinate(latitude: 1, longitude: 1)
    await want([annotation(1, place), annotation(2, Coordinate(latitude: -60, longitude: 90))])
    var renamed = annotation(1, place)
    renamed.title = "renamed"
    want(1, renamed)
    #expect(map.shown[key(1)]?.title == "renamed")
    want(2, nil)
    #expect(map.shown[key(2)] == nil)
    display.turnEnded()
    await display.settle()
    #expect(Set(map.shown.keys) == [key(1)])
  }

  @Test func `a leader that is deleted while a batch is away is not shown again`() async {
    let place = Coordinate(latitude: 1, longitude: 1)
    want(1, annotation(1, place))
    display.turnEnded()
    want(1, nil)
    display.turnEnded()
    await display.settle()
    #expect(map.shown.isEmpty)
  }

  @Test func `groups are clustered apart, and who has none stays alone`() async {
    let place = Coordinate(latitude: 1, longitude: 1)
    var annotations = (0..<9).map { annotation($0, place) }
    for number in 0..<3 { annotations[number].clusterGroup = "red" }
    for number in 3..<6 { annotations[number].clusterGroup = nil }
    await want(annotations)
    #expect(map.shown.values.map { $0.cluster?.count ?? 1 }.sorted() == [1, 1, 1, 3, 3])
    annotations[0].clusterGroup = nil
    await want([annotations[0]])
    #expect(map.shown.values.map { $0.cluster?.count ?? 1 }.sorted() == [1, 1, 1, 1, 2, 3])
  }

  @Test func `a cluster tells its leaves, the zoom that reveals a leaf and the zoom that parts it`()
    async
  {
    let place = Coordinate(latitude: 1, longitude: 1)
    let near = Coordinate(latitude: 1.01, longitude: 1)
    await want([annotation(1, place), annotation(2, near), annotation(3, near)])
    let cluster = map.shown.keys.first ?? key(0)
    #expect(Set(await display.leaves(of: cluster, from: 0, limit: 9)) == [key(1), key(2), key(3)])
    let parts = await display.expansionZoom(of: cluster)
    #expect(parts == (await display.zoomAlone(key(1))))
    #expect(await display.zoomAlone(key(2)) == 17)
    #expect(await display.zoomAlone(key(4)) == nil)
  }

  @Test func `an ended display reports no change`() async {
    want(1, annotation(1, Coordinate(latitude: 1, longitude: 1)))
    display.turnEnded()
    display.end()
    await display.settle()
    for _ in 0..<100 { await Task.yield() }
    want(2, annotation(2, Coordinate(latitude: 1, longitude: 1)))
    display.turnEnded()
    #expect(map.reported == 0)
  }
}
