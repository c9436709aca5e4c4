internal import Strata

extension GeoRegion {
  /// The region with a margin of half its size on every side, so that a map can be moved a little.
  ///
  /// An invalid region stays as it is.
  var padded: GeoRegion {
    guard isValid else { return self }
    let height = north - south
    var region = GeoRegion(
      center: Coordinate(latitude: 0, longitude: inRange.west + width / 2),
      latitudeSpan: 0, longitudeSpan: width * 2)
    region.south = max(-90, south - height / 2)
    region.north = min(90, north + height / 2)
    return region
  }

  /// Returns whether all of another region lies in this region.
  func covers(_ other: GeoRegion) -> Bool {
    guard other.south >= south && other.north <= north else { return false }
    if width >= 360 { return true }
    let (west, otherWest) = (inRange.west, other.inRange.west)
    let offset = otherWest - west + (otherWest < west ? 360 : 0)
    return offset + other.width <= width
  }
}
