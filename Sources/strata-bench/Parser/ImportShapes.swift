import Foundation
import Strata
import StrataImport

extension Workload {
  /// Nested arrays of coordinates, the largest part of a GeoJSON feed.
  static let shapes = Workload(
    name: "J3", summary: "import 200 shapes of 5,000 coordinates (24 MB of JSON) to [[[Double]]]"
  ) { bench in
    let json = Shape.feed(shapes: 200, coordinates: 5_000)
    let megabytes = Double(json.count) / 1_000_000
    return try await bench.compare(["MB/s, raw: JSONDecoder"]) {
      let file = bench.newFile("sqlite")
      let stack = try await Stack.open(Shape.self, at: file)
      let watch = Stopwatch()
      let result = try await stack.importJSON(Shape.self, from: .data(json))
      let seconds = watch.milliseconds / 1000
      try check(result.inserted == 200, "\(result.inserted) shapes")
      await stack.close()
      bench.remove(file)
      return [megabytes / seconds]
    } raw: {
      let watch = Stopwatch()
      let shapes = try JSONDecoder().decode([DecodedShape].self, from: json)
      let seconds = watch.milliseconds / 1000
      try check(shapes.count == 200, "\(shapes.count) shapes")
      return [megabytes / seconds]
    }
  }
}

private struct Shape: Entity {
  var id = 0
  var rings: [[[Double]]] = []

  static let schema = Schema<Shape>("shapes", key: \.id) { Attribute(\.rings) }

  /// Returns a feed of shapes whose coordinates have six decimals, as in maps.
  static func feed(shapes: Int, coordinates: Int) -> Data {
    func degrees(_ bits: UInt64) -> Double { Double(Int(bits % 360_000_000) - 180_000_000) / 1e6 }
    let objects = (0..<shapes).map { shape in
      let ring = (0..<coordinates).map { place in
        let bits = UInt64(shape * coordinates + place).mixed
        return "[\(degrees(bits)),\(degrees(bits.mixed))]"
      }
      return #"{"id":\#(shape),"rings":[[\#(ring.joined(separator: ","))]]}"#
    }
    return Data("[\(objects.joined(separator: ","))]".utf8)
  }
}

private struct DecodedShape: Decodable {
  let id: Int
  let rings: [[[Double]]]
}
