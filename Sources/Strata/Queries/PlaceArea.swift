internal import Foundation
internal import StrataSQLite

/// Which places a filter asks for.
enum PlaceArea: Sendable {
  /// Every place: whatever has a valid coordinate.
  case anywhere
  case region(GeoRegion)
  /// All places at most so many meters away.
  case circle(Coordinate, meters: Double)

  /// Why there is no such area; nil if there is.
  var flaw: String? {
    switch self {
    case .anywhere: nil
    case .region(let region): region.isValid ? nil : "\(region) has edges that are out of range"
    case .circle(let center, let meters):
      if !center.isValid {
        "\(center) is not a place on the Earth"
      } else {
        meters >= 0 ? nil : "a distance of \(meters) meters is none"
      }
    }
  }

  /// Whether a valid place lies in the area.
  func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .anywhere: true
    case .region(let region): region.contains(place)
    case .circle(let center, let meters): place.meters(to: center) <= meters
    }
  }

  /// Boxes that together have every place of the area; nil if that is nearly the whole Earth, which
  /// an index does not help to find.
  var boxes: [(latitudes: ClosedRange<Double>, longitudes: ClosedRange<Double>)]? {
    switch self {
    case .anywhere: return nil
    case .region(let region): return region.meridians.map { (region.south...region.north, $0) }
    case .circle(let center, let meters):
      guard let region = GeoRegion(around: center, meters: meters) else { return nil }
      return region.meridians.map { (region.south...region.north, $0) }
    }
  }
}

extension GeoRegion {
  /// The least region with all places that are at most so many meters away, and a little more; nil
  /// if that is more than half of the Earth.
  init?(around center: Coordinate, meters: Double) {
    // More than all rounding here and in the distances: at opposite ends that is half a meter.
    let angle = (meters * (1 + 1e-9) + 2) / GreatCircle.radius
    if angle >= .pi / 2 { return nil }
    let (degrees, latitude) = (angle * 180 / .pi, center.latitude * .pi / 180)
    let (south, north) = (center.latitude - degrees, center.latitude + degrees)
    // A circle around a pole has every meridian.
    if south <= -90 || north >= 90 {
      self.init(south: max(-90, south), west: -180, north: min(90, north), east: 180)
      return
    }
    // Where a meridian touches the circle, which is nearer to the pole than the center.
    let width = asin(min(1, sin(angle) / cos(latitude))) * 180 / .pi
    self.init(
      center: Coordinate(latitude: (south + north) / 2, longitude: center.longitude),
      latitudeSpan: north - south, longitudeSpan: 2 * width + 1e-6)
    self.south = south
    self.north = north
  }
}
