internal import Foundation
internal import StrataSQLite

/// The area in which a filter finds places.
enum PlaceArea: Sendable {
  /// The whole Earth, with every valid coordinate.
  case anywhere
  case region(GeoRegion)
  /// All places at most a number of meters away from a centre.
  case circle(Coordinate, meters: Double)

  /// The reason why the area is invalid; nil for a valid area.
  var flaw: String? {
    switch self {
    case .anywhere: nil
    case .region(let region): region.flaw
    case .circle(let center, let meters):
      if !center.isValid {
        "\(center) is not a place on the Earth"
      } else {
        meters >= 0 ? nil : "a distance of \(meters) meters is none"
      }
    }
  }

  /// Returns whether a valid place lies in the area.
  func contains(_ place: Coordinate) -> Bool {
    switch self {
    case .anywhere: true
    case .region(let region): region.contains(place)
    case .circle(let center, let meters): place.meters(to: center) <= meters
    }
  }

  /// Boxes that together contain every place of the area.
  ///
  /// The value is nil for an area that covers so much of the Earth that an index does not help.
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
  /// Creates the smallest region around a circle, with a small margin.
  ///
  /// The result is nil if the circle covers half of the Earth or more.
  init?(around center: Coordinate, meters: Double) {
    // The margin is more than all rounding errors here and in the distances. Between opposite ends
    // of the Earth, these errors reach half a meter.
    let angle = (meters * (1 + 1e-9) + 2) / GreatCircle.radius
    if angle >= .pi / 2 { return nil }
    let (degrees, latitude) = (angle * 180 / .pi, center.latitude * .pi / 180)
    let (south, north) = (center.latitude - degrees, center.latitude + degrees)
    // A circle that contains a pole crosses every meridian.
    if south <= -90 || north >= 90 {
      self.init(south: max(-90, south), west: -180, north: min(90, north), east: 180)
      return
    }
    // The longitude at which a meridian touches the circle. That point is nearer to the pole than
    // the center.
    let width = asin(min(1, sin(angle) / cos(latitude))) * 180 / .pi
    self.init(
      center: Coordinate(latitude: (south + north) / 2, longitude: center.longitude),
      latitudeSpan: north - south, longitudeSpan: 2 * width + 1e-6)
    self.south = south
    self.north = north
  }
}
