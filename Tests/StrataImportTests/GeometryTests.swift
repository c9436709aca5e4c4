import Foundation
import Strata
import StrataTesting
import StrataTestTurns
import Testing

@testable import StrataImport

@Suite(.inTurn) struct GeometryTests {
  private func centre(_ json: String) throws -> [Double]? {
    try Geometry(json).centroid.map { [$0.longitude, $0.latitude] }
  }

  @Test(
    arguments: [
      (#"{"type":"Point","coordinates":[13.4,52.5,34]}"#, [13.4, 52.5]),
      (#"{"coordinates":[[0,0],[2,0],[4,6]],"bbox":[0],"type":"MultiPoint"}"#, [2, 2]),
      (#"{"type":"LineString","coordinates":[[0,0],[10,0],[10,2]]}"#, [70.0 / 12, 2.0 / 12]),
      (#"{"type":"MultiLineString","coordinates":[[[0,0],[2,0]],[[4,2],[6,2]]]}"#, [3, 1]),
      (#"{"type":"Polygon","coordinates":[[[1,1],[5,1],[5,3],[1,3],[1,1]]]}"#, [3, 2]),
      // A square with sides of 6 and a hole with sides of 2 in its left half. The centre's
      // longitude is (36 · 3 - 4 · 2) / 32.
      (
        #"{"type":"Polygon","coordinates":[[[0,0],[6,0],[6,6],[0,6],[0,0]],[[1,2],[3,2],[3,4],[1,4],[1,2]]]}"#,
        [3.125, 3]
      ),
      (
        #"{"type":"MultiPolygon","coordinates":[[[[0,0],[2,0],[2,2],[0,2],[0,0]]],[[[4,0],[4,2],[6,2],[6,0],[4,0]]]]}"#,
        [3, 1]
      ),
      // If a geometry has areas, only the areas count.
      (
        #"{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[99,9]},{"type":"Polygon","coordinates":[[[0,0],[2,0],[2,2],[0,2],[0,0]]]}]}"#,
        [1, 1]
      ),
      // If a geometry has no extent, its positions count.
      (#"{"type":"Polygon","coordinates":[[[3,4],[3,4],[3,4],[3,4]]]}"#, [3, 4]),
      (#"{"type":"LineString","coordinates":[[3,4],[3,4]]}"#, [3, 4]),
      (#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[0,0]]]}"#, [2, 0]),
    ] as [(String, [Double])])
  func `every geometry has its centre of mass`(json: String, expected: [Double]) throws {
    let found = try #require(try centre(json))
    #expect(zip(found, expected).allSatisfy { abs($0 - $1) < 1e-12 }, "\(found)")
  }

  @Test(
    arguments: [
      #"{"type":"Point","coordinates":[]}"#, #"{"type":"Point","coordinates":[1]}"#,
      #"{"type":"Point","coordinates":["1","2"]}"#, #"{"type":"Point"}"#,
      #"{"type":"Circle","coordinates":[1,2]}"#, #"{"coordinates":[1,2]}"#, "[1,2]", "\"Point\"",
      #"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#,
      #"{"type":"Point","coordinates":[1,1e999]}"#,
      #"{"type":"LineString","coordinates":5}"#, #"{"type":"Point","coordinates":{"x":1}}"#,
    ])
  func `a text that is no geometry is refused`(json: String) {
    #expect(throws: ValueError.self) { try Geometry(json) }
  }

  @Test func `moving and stretching a shape moves its centre the same way`() throws {
    var random = SeededRandom.printingSeed()
    for _ in 0..<200 {
      let ring = (0..<Int.random(in: 3...20, using: &random)).map { _ in
        (Double.random(in: -1...1, using: &random), Double.random(in: -1...1, using: &random))
      }
      func json(_ change: (Double, Double) -> (Double, Double)) -> String {
        let text = (ring + ring.prefix(1)).map { point in
          let (x, y) = change(point.0, point.1)
          return "[\(x),\(y)]"
        }
        return #"{"type":"Polygon","coordinates":[[\#(text.joined(separator: ","))]]}"#
      }
      let still = try #require(try centre(json { ($0, $1) }))
      let moved = try #require(try centre(json { ($0 * 3 + 100, $1 * 2 - 40) }))
      // The area of a ring that crosses itself may be nearly 0, and its centre may be far away.
      guard still.allSatisfy({ abs($0) < 2 }) else { continue }
      #expect(abs(moved[0] - (still[0] * 3 + 100)) < 1e-7, "\(ring)")
      #expect(abs(moved[1] - (still[1] * 2 - 40)) < 1e-7, "\(ring)")
    }
  }
}

private struct Place: Entity, Equatable {
  var id = ""
  var latitude: Double?
  var longitude: Double?

  static let schema = Schema<Place>("places", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }

  static let json = JSONMapping<Place> {
    Field(\.id, "id")
    Field(\.latitude, "geometry", .centroidLatitude)
    Field(\.longitude, "geometry", .centroidLongitude)
  }
}

@Suite(.inTurn, .stack(Place.self)) struct GeometryImportTests {
  let stack = Stack.test

  @Test func `features of any geometry are imported with their centres`() async throws {
    let feed = #"""
      {"type":"FeatureCollection","features":[
        {"id":"a","geometry":{"type":"Point","coordinates":[1.5,2.5]}},
        {"id":"b","geometry":{"type":"LineString","coordinates":[[0,0],[2,2]]}},
        {"id":"c","geometry":null}]}
      """#
    try await stack.importJSON(
      Place.self, from: .data(Data(feed.utf8)), as: .featureCollection, mapping: Place.json)
    let expected = [
      Place(id: "a", latitude: 2.5, longitude: 1.5), Place(id: "b", latitude: 1, longitude: 1),
      Place(id: "c"),
    ]
    #expect(try await stack.fetch(Place.all) == expected)
  }

  @Test func `a feature of no geometry is an error that names it`() async throws {
    let feed = #"{"features":[{"id":"a","geometry":{"type":"Curve","coordinates":[]}}]}"#
    do {
      try await stack.importJSON(
        Place.self, from: .data(Data(feed.utf8)), as: .featureCollection, mapping: Place.json)
      Issue.record("not refused")
    } catch let error as ImportError {
      #expect(error.path == "geometry")
      #expect(error.message.contains("\"Curve\""))
    }
  }
}
