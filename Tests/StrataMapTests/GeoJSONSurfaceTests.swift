import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataMap

@MainActor @Suite(.inTurn) struct GeoJSONSurfaceTests {
  private let surface = GeoJSONSurface()

  @Test func `differences make a page equal to the surface after any history`() throws {
    var random = SeededRandom.printingSeed()
    var page = Page()
    var queue = AnnotationQueue()
    for round in 0..<400 {
      for _ in 0..<random.below(12) {
        let number = random.below(20)
        var annotation = pin(number, at: Double(random.below(4)), Double(random.below(3)))
        annotation.style = random.oneIn(2) ? "" : "red"
        annotation.values = random.oneIn(3) ? [Double(random.below(5)), .infinity] : []
        if random.oneIn(4) { annotation.cluster = .init(count: 2 + random.below(3), zoom: 4) }
        _ = queue.desire(key(number), random.oneIn(4) ? nil : annotation)
        if random.oneIn(2), let operation = queue.next() { surface.apply(operation) }
      }
      guard let difference = surface.take() else { continue }
      try page.apply(difference.json)
      let whole = try Page(surface.featureCollection)
      #expect(page == whole, "round \(round), seed \(random.seed)")
    }
    while let operation = queue.next() { surface.apply(operation) }
    if let difference = surface.take() { try page.apply(difference.json) }
    #expect(page.features.count == queue.shown.count)
    for (id, annotation) in queue.shown {
      let feature = try #require(page.features["\(id)"])
      #expect(feature.contains("[\(Int(annotation.coordinate.longitude)),"))
    }
  }

  // While no page is connected, no difference is taken. The surface must not keep features that
  // come and go meanwhile.
  @Test func `a feature that comes and goes without a page is forgotten`() {
    var calls = 0
    surface.onChange = { calls += 1 }
    for number in 0..<3 {
      surface.apply(.add(pin(number)))
      surface.apply(.remove(key(number)))
    }
    #expect(calls == 3 && surface.take() == nil)
  }

  @Test func `a feature that comes and goes between two differences is in neither`() {
    surface.apply(.add(pin(1)))
    surface.apply(.remove(key(1)))
    #expect(surface.take() == nil)
    surface.apply(.add(pin(2)))
    surface.apply(.move(key(2), to: Coordinate(latitude: 5, longitude: 6)))
    let difference = surface.take()
    #expect(difference?.addedCount == 1 && difference?.updatedCount == 0)
    surface.apply(.remove(key(2)))
    surface.apply(.add(pin(2, at: 5, 6)))
    #expect(surface.take() == nil)
  }

  @Test func `pieces have at most the limit, and make a page equal to the surface`() throws {
    var random = SeededRandom.printingSeed()
    var page = Page()
    for number in 0..<1_000 { surface.apply(.add(pin(number))) }
    var calls = 0
    surface.onChange = { calls += 1 }
    var pieces = 0
    while let piece = surface.take(limit: 300) {
      pieces += 1
      #expect(piece.addedCount + piece.updatedCount + piece.removedCount <= 300)
      try page.apply(piece.json)
      #expect(try page == Page(surface.featureCollection))
      // The surface goes on changing between two pieces.
      guard pieces < 3 else { continue }
      for _ in 0..<20 {
        let place = Coordinate(latitude: Double(random.below(80)), longitude: 7)
        surface.apply(.move(key(random.below(1_000)), to: place))
      }
    }
    #expect(pieces == 4 && page.features.count == 1_000 && calls == 1, "seed \(random.seed)")
    #expect(try page == Page(surface.featureCollection))
    surface.apply(.remove(key(1)))
    #expect(calls == 2)
  }

  @Test func `a change that is taken back before the page has it is no difference`() {
    surface.apply(.add(pin(1, at: 1, 2)))
    _ = surface.take()
    var calls = 0
    surface.onChange = { calls += 1 }
    surface.apply(.move(key(1), to: Coordinate(latitude: 5, longitude: 6)))
    surface.apply(.move(key(1), to: Coordinate(latitude: 1, longitude: 2)))
    #expect(calls == 1 && surface.take(limit: 1) == nil)
  }

  @Test func `a move is told as a new geometry alone`() throws {
    surface.apply(.add(pin(1)))
    _ = surface.take()
    surface.apply(.move(key(1), to: Coordinate(latitude: 2, longitude: 3)))
    let json = try #require(surface.take()).json
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"add":[],"remove":[],"update":[{"id":1,"#
        + #""newGeometry":{"coordinates":[3,2],"type":"Point"}}]}"#)
  }

  @Test func `ids are numbers where JavaScript can hold them, and strings else`() throws {
    let id = UUID()
    for (cell, expected) in [
      (Cell.integer(7), "7"), (.integer(1 << 60), "\"\(1 << 60 as Int64)\""),
      (.text("a\"b"), #""a\"b""#),
      (.blob(withUnsafeBytes(of: id.uuid) { Data($0) }), "\"\(id.uuidString)\""),
      (.blob(Data([0, 10, 255])), #""000aff""#), (.real(1.5), #""1.5""#),
    ] {
      let surface = GeoJSONSurface()
      let annotation = SurfaceAnnotation(
        id: RecordKey(cell), coordinate: Coordinate(latitude: 0, longitude: 0))
      surface.apply(.add(annotation))
      let json = String(decoding: try #require(surface.take()).json, as: UTF8.self)
      #expect(json.contains("\"id\":\(expected),"), "\(json)")
    }
  }

  @Test func `the ids of a thousand keys of every kind are a thousand ids`() {
    var random = SeededRandom.printingSeed()
    var keys: Set<RecordKey> = []
    while keys.count < 1_000 {
      let bytes = (0..<random.below(24)).map { _ in UInt8(random.below(256)) }
      switch random.below(3) {
      case 0: keys.insert(RecordKey(.integer(Int64(bitPattern: random.next()))))
      case 1: keys.insert(RecordKey(.blob(Data(bytes))))
      default: keys.insert(RecordKey(.text("#" + bytes.map(String.init).joined(separator: "-"))))
      }
    }
    #expect(Set(keys.map(GeoJSONID.init)).count == 1_000, "seed \(random.seed)")
  }

  @Test func `a handler that is set late is called for earlier changes`() {
    surface.apply(.add(pin(1)))
    var calls = 0
    surface.onChange = { calls += 1 }
    #expect(calls == 1)
    _ = surface.take()
    surface.onChange = { calls += 1 }
    #expect(calls == 1)
  }

  @Test func `a closed gate holds every difference back, also that of earlier operations`() {
    let turns = ManualTurns()
    let drain = AnnotationDrain(on: surface, clock: ManualClock(), later: turns.add)
    var calls = 0
    surface.onChange = { calls += 1 }
    drain.desire(key(1), pin(1))
    turns.runAll()
    drain.close(.userInteraction)
    drain.close(.hidden)
    #expect(calls == 1 && surface.take() == nil)
    drain.desire(key(1), nil)
    drain.desire(key(2), pin(2))
    drain.open(.hidden)
    #expect(calls == 1 && surface.take() == nil)
    drain.open(.userInteraction)
    #expect(calls == 2 && surface.take()?.addedCount == 1, "asked again when the gate opens")
    turns.runAll()
    #expect(calls == 3)
    let difference = surface.take()
    #expect(difference?.addedCount == 1 && difference?.removedCount == 1)
  }

  @Test func `the operations of a registry that ended behind a closed gate can be taken`() {
    let turns = ManualTurns()
    func leave(_ number: Int, _ end: (AnnotationDrain) -> Void) {
      let drain = AnnotationDrain(on: surface, clock: ManualClock(), later: turns.add)
      drain.desire(key(number), pin(number))
      turns.runAll()
      drain.close(.hidden)
      end(drain)
    }
    leave(1) { $0.detach() }
    #expect(surface.take()?.addedCount == 1)
    leave(2) { _ in }
    #expect(surface.take() == nil)
    let next = AnnotationDrain(on: surface, clock: ManualClock(), later: turns.add)
    #expect(next.isGateOpen && surface.take() != nil)
  }

  @Test func `the surface asks once to be read, until it is read`() {
    var calls = 0
    surface.onChange = { calls += 1 }
    surface.apply(.add(pin(1)))
    surface.apply(.add(pin(2)))
    #expect(calls == 1)
    _ = surface.take()
    surface.apply(.remove(key(1)))
    #expect(calls == 2)
  }
}

/// The features of a page after MapLibre's `updateData`, by id. Each feature is JSON with sorted
/// keys.
private struct Page: Equatable {
  var features: [String: String] = [:]
  private typealias Object = [String: Any]

  init() {}

  init(_ collection: [UInt8]) throws {
    let object = try JSONSerialization.jsonObject(with: Data(collection)) as? Object
    for feature in object?["features"] as? [Object] ?? [] { try put(feature) }
  }

  private mutating func put(_ feature: Object) throws {
    let json = try JSONSerialization.data(withJSONObject: feature, options: [.sortedKeys])
    features["\(Self.id(feature))"] = String(decoding: json, as: UTF8.self)
  }

  private static func id(_ object: Object) -> String { id(object["id"]) }

  /// Returns an id as JSON, so that a number differs from the text of its digits.
  private static func id(_ value: Any?) -> String {
    let json = try? JSONSerialization.data(
      withJSONObject: value ?? NSNull(), options: .fragmentsAllowed)
    return String(decoding: json ?? Data(), as: UTF8.self)
  }

  mutating func apply(_ difference: [UInt8]) throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(difference)) as? Object)
    for id in object["remove"] as? [Any] ?? [] {
      #expect(features.removeValue(forKey: Self.id(id)) != nil)
    }
    for feature in object["add"] as? [Object] ?? [] {
      #expect(features[Self.id(feature)] == nil)
      try put(feature)
    }
    for update in object["update"] as? [Object] ?? [] {
      let old = try #require(features[Self.id(update)])
      var feature = try #require(
        try JSONSerialization.jsonObject(with: Data(old.utf8)) as? Object)
      var properties = feature["properties"] as? Object ?? [:]
      for key in update["removeProperties"] as? [String] ?? [] { properties[key] = nil }
      for property in update["addOrUpdateProperties"] as? [Object] ?? [] {
        properties[property["key"] as? String ?? ""] = property["value"]
      }
      feature["properties"] = properties
      if let geometry = update["newGeometry"] { feature["geometry"] = geometry }
      try put(feature)
    }
  }
}
