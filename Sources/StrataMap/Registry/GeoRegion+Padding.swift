internal import Strata

extension GeoRegion {
  /// The region with a margin of half its size on every side, so that a map can be moved a little.
  var padded: GeoRegion {
    let center = west + width / 2
    let height = north - south
    var region = GeoRegion(
      center: Coordinate(latitude: 0, longitude: center > 180 ? center - 360 : center),
      latitudeSpan: 0, longitudeSpan: width * 2)
    region.south = max(-90, south - height / 2)
    region.north = min(90, north + height / 2)
    return region
  }

  /// Returns whether all of another region lies in this region.
  func covers(_ other: GeoRegion) -> Bool {
    guard other.south >= south && other.north <= north else { return false }
    if width >= 360 { return true }
    let offset = other.west - west + (other.west < west ? 360 : 0)
    return offset + other.width <= width
  }

  /// The degrees from the western to the eastern edge.
  var width: Double { east - west + (west > east ? 360 : 0) }
}
