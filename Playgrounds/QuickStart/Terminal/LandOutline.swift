/// The land of the Earth as closed rings of points. Rings inside other rings are lakes.
struct LandOutline: Sendable {
  /// A point in half degrees.
  struct Point: Hashable, Sendable {
    var longitude: Int
    var latitude: Int
  }

  /// The outline that a terminal map draws.
  static let world = LandOutline(naturalEarth)

  let rings: [[Point]]

  /// Decodes text in the format of ``naturalEarth``.
  init(_ text: String) {
    var rings: [[Point]] = []
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard let steps = fields.last else { continue }
      if fields.count == 3, let longitude = Int(fields[0]), let latitude = Int(fields[1]) {
        rings.append([Point(longitude: longitude, latitude: latitude)])
      }
      guard var ring = rings.popLast(), var point = ring.last else { continue }
      var codes = steps.utf8.makeIterator()
      while let longitude = codes.next(), let latitude = codes.next() {
        point.longitude += Int(longitude) - Int(UInt8(ascii: "?"))
        point.latitude += Int(latitude) - Int(UInt8(ascii: "?"))
        ring.append(point)
      }
      rings.append(ring)
    }
    self.rings = rings
  }

  /// Returns the land as filled dots, whose centres are inside an odd number of rings.
  ///
  /// An island that covers no centre still gets a dot.
  ///
  /// - Complexity: O(points x height + width x height).
  func filled(_ projection: WorldProjection) -> BrailleCanvas {
    var canvas = BrailleCanvas(width: projection.width, height: projection.height)
    let rings = rings.map { ring in
      ring.map {
        projection.point(latitude: Double($0.latitude) / 2, longitude: Double($0.longitude) / 2)
      }
    }
    for y in 0..<projection.height {
      let crossings = rings.flatMap { Self.crossings($0, at: Double(y) + 0.5) }.sorted()
      for pair in stride(from: 0, to: crossings.count - 1, by: 2) {
        // The first dot whose centre is not left of the crossing.
        let start = Int((crossings[pair] - 0.5).rounded(.up))
        let end = Int((crossings[pair + 1] - 0.5).rounded(.up))
        for x in max(start, 0)..<max(start, 0, min(end, projection.width)) { canvas[x, y] = true }
      }
    }
    for ring in rings {
      let count = Double(ring.count)
      let x = Int(ring.reduce(0) { $0 + $1.x } / count)
      let y = Int(ring.reduce(0) { $0 + $1.y } / count)
      let isNearLand = (-1...1).contains { dy in (-1...1).contains { canvas[x + $0, y + dy] } }
      if !isNearLand, Self.isSmall(ring) { canvas[x, y] = true }
    }
    return canvas
  }

  /// Returns the positions at which the sides of a ring cross a horizontal line.
  private static func crossings(_ ring: [(x: Double, y: Double)], at y: Double) -> [Double] {
    var result: [Double] = []
    for (index, end) in ring.enumerated() {
      let start = ring[index == 0 ? ring.count - 1 : index - 1]
      guard (start.y <= y) != (end.y <= y) else { continue }
      result.append(start.x + (y - start.y) * (end.x - start.x) / (end.y - start.y))
    }
    return result
  }

  /// Returns whether a projected ring could lie between the centres of the dots.
  private static func isSmall(_ ring: [(x: Double, y: Double)]) -> Bool {
    let xs = ring.map(\.x).sorted(), ys = ring.map(\.y).sorted()
    guard let left = xs.first, let right = xs.last, let top = ys.first, let bottom = ys.last else {
      return false
    }
    return right - left < 3 && bottom - top < 3
  }
}
