internal import Strata

/// A GeoJSON geometry (RFC 7946) as points, lines and polygons.
struct Geometry {
  /// A position in degrees, without its altitude.
  struct Position: Equatable {
    var longitude: Double
    var latitude: Double
  }

  private(set) var points: [Position] = []
  /// The positions of every line.
  private(set) var lines: [[Position]] = []
  /// The outer ring and the holes of every polygon.
  private(set) var polygons: [[[Position]]] = []

  /// Reads a geometry object or a geometry collection.
  init(_ json: String) throws(ValueError) {
    var window = JSONWindow()
    var text = json
    text.withUTF8 { window.append(UnsafeRawBufferPointer($0)) }
    window.finish()
    var value = GeometryValue()
    do throws(JSONFault) {
      value = try window.read { (reader) throws(JSONFault) in try GeometryValue(&reader) }
    } catch {
      throw ValueError("not a geometry of GeoJSON: \(error.code.message(window[error.position]))")
    }
    try add(value)
  }

  private mutating func add(_ value: GeometryValue) throws(ValueError) {
    let coordinates = value.coordinates
    switch value.type {
    case "Point": points.append(try coordinates.position())
    case "MultiPoint": points += try coordinates.positions()
    case "LineString": lines.append(try coordinates.positions())
    case "MultiLineString": lines += try coordinates.rings()
    case "Polygon": polygons.append(try coordinates.rings())
    case "MultiPolygon":
      for polygon in try coordinates.list() { polygons.append(try polygon.rings()) }
    case "GeometryCollection":
      for geometry in value.geometries { try add(geometry) }
    case let type?: throw ValueError("\"\(type.shortened)\" is no geometry of GeoJSON")
    case nil: throw ValueError("a geometry without a type")
    }
  }

  /// The centre of mass; nil for a geometry without positions.
  ///
  /// It is the centre of the areas if there are any, else of the lines, else of the points, in the
  /// plane of longitude and latitude. RFC 7946 cuts a shape at the antimeridian. The centre of such
  /// a shape lies between its parts.
  var centroid: Position? {
    guard let origin = (polygons.first?.first ?? lines.first ?? points).first else { return nil }
    var areas = CentreOfMass(origin)
    for polygon in polygons { areas.add(polygon) }
    if let centre = areas.centre { return centre }
    var lengths = CentreOfMass(origin)
    for line in lines + polygons.flatMap(\.self) { lengths.add(line) }
    if let centre = lengths.centre { return centre }
    var all = CentreOfMass(origin)
    for point in points + lines.flatMap(\.self) + polygons.joined().flatMap(\.self) {
      all.add(1, point)
    }
    return all.centre
  }
}

/// A sum of weighted positions.
///
/// The positions are relative to a position of the geometry. Otherwise the area of a small shape
/// far from the origin would be a difference of large numbers.
private struct CentreOfMass {
  private let origin: Geometry.Position
  private var (weight, x, y) = (0.0, 0.0, 0.0)

  init(_ origin: Geometry.Position) { self.origin = origin }

  var centre: Geometry.Position? {
    guard weight > 0 else { return nil }
    return Geometry.Position(
      longitude: origin.longitude + x / weight, latitude: origin.latitude + y / weight)
  }

  mutating func add(_ weight: Double, _ position: Geometry.Position) {
    self.weight += weight
    x += weight * (position.longitude - origin.longitude)
    y += weight * (position.latitude - origin.latitude)
  }

  /// Adds a line: the middle of each part, weighted by the part's length.
  mutating func add(_ line: [Geometry.Position]) {
    for (start, end) in zip(line, line.dropFirst()) {
      let (width, height) = (end.longitude - start.longitude, end.latitude - start.latitude)
      add(
        (width * width + height * height).squareRoot(),
        Geometry.Position(
          longitude: start.longitude + width / 2, latitude: start.latitude + height / 2))
    }
  }

  /// Adds a polygon, weighted by its area. Holes are subtracted, whatever their winding order.
  mutating func add(_ polygon: [[Geometry.Position]]) {
    for (index, ring) in polygon.enumerated() {
      let (area, middle) = Self.area(of: ring)
      add(index == 0 ? area : -area, middle)
    }
  }

  private static func area(
    of ring: [Geometry.Position]
  ) -> (area: Double, middle: Geometry.Position) {
    guard let first = ring.first else { return (0, Geometry.Position(longitude: 0, latitude: 0)) }
    var (doubled, x, y) = (0.0, 0.0, 0.0)
    for (start, end) in zip(ring, ring.dropFirst() + [first]) {
      let (x0, y0) = (start.longitude - first.longitude, start.latitude - first.latitude)
      let (x1, y1) = (end.longitude - first.longitude, end.latitude - first.latitude)
      let cross = x0 * y1 - x1 * y0
      doubled += cross
      x += (x0 + x1) * cross
      y += (y0 + y1) * cross
    }
    guard doubled != 0 else { return (0, first) }
    return (
      abs(doubled) / 2,
      Geometry.Position(
        longitude: first.longitude + x / (3 * doubled),
        latitude: first.latitude + y / (3 * doubled))
    )
  }
}
