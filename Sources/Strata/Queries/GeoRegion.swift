/// A part of the Earth between two parallels and two meridians, edges included.
///
/// It reaches eastwards from ``west`` to ``east``. If `west` is the greater number, the region
/// crosses the antimeridian: from 170 to -170 it is 20 degrees wide. If `east` is greater by 360 or
/// more, as from -180 to 180, the region goes all around.
///
/// Longitudes may go beyond ±180, as those of a map that was panned around the world. A longitude
/// and the same longitude with 360 more or less are the same meridian: from 170 to 190, from -190
/// to -170 and from 170 to -170 are one region. It is the same region for queries, for clusters and
/// for a registry.
///
/// ```swift
/// let fiji = GeoRegion(south: -21, west: 176, north: -15, east: -178)  // across the date line
/// print(fiji.contains(harbour))
/// ```
public struct GeoRegion: Sendable, Hashable {
  /// The southern edge, degrees north, -90 to 90.
  public var south: Double
  /// The western edge, degrees east, any finite number.
  public var west: Double
  /// The northern edge, degrees north, -90 to 90.
  public var north: Double
  /// The eastern edge, degrees east, any finite number.
  public var east: Double

  /// Creates a region from its edges, without checking them.
  public init(south: Double, west: Double, north: Double, east: Double) {
    self.south = south
    self.west = west
    self.north = north
    self.east = east
  }

  /// Creates the region around a centre, such as the region that a map shows.
  ///
  /// It ends at the poles and crosses the antimeridian where necessary. Its longitudes are in
  /// -180 to 180.
  ///
  /// - Parameters:
  ///   - center: the middle of both spans. Its longitude may go beyond ±180.
  ///   - latitudeSpan: degrees from its southern to its northern edge, 0 or more.
  ///   - longitudeSpan: degrees from its western to its eastern edge, 0 or more. A span of 360 or
  ///     more goes all around.
  public init(center: Coordinate, latitudeSpan: Double, longitudeSpan: Double) {
    // A span of nearly 360 could be rounded to edges that meet, which are a meridian.
    let isAround = longitudeSpan >= 360 - 1e-9
    self.init(
      south: max(-90, center.latitude - latitudeSpan / 2),
      west: isAround ? -180 : Self.inRange(center.longitude - longitudeSpan / 2),
      north: min(90, center.latitude + latitudeSpan / 2),
      east: isAround ? 180 : Self.inRange(center.longitude + longitudeSpan / 2))
  }

  /// Returns the longitude in -180 to 180 of the same meridian, without rounding.
  private static func inRange(_ longitude: Double) -> Double {
    let rest = longitude.truncatingRemainder(dividingBy: 360)
    if rest < -180 { return rest + 360 }
    return rest > 180 ? rest - 360 : rest
  }

  /// Whether the edges are finite, both latitudes are in range and the southern one is not north of
  /// the northern one.
  ///
  /// A query in an invalid region throws `invalidQuery`.
  public var isValid: Bool {
    (-90...90).contains(south) && (-90...90).contains(north) && south <= north
      && west.isFinite && east.isFinite
  }

  /// Returns whether a place lies in the region, and false for an invalid coordinate.
  ///
  /// The longitudes 180 and -180 are the same meridian. At a pole, the longitude still counts.
  public func contains(_ place: Coordinate) -> Bool {
    place.latitude >= south && place.latitude <= north
      && meridians.contains { $0.contains(place.longitude) }
  }

  /// The reason why the region is invalid; nil for a valid region.
  package var flaw: String? {
    isValid
      ? nil
      : "\(self) is no region: its latitudes are not in -90 to 90 from south to north, or an edge is not finite"
  }

  /// The same region with longitudes in -180 to 180, -180 to 180 if it goes all around.
  package var inRange: GeoRegion {
    let isAround = east - west >= 360
    return GeoRegion(
      south: south, west: isAround ? -180 : Self.inRange(west),
      north: north, east: isAround ? 180 : Self.inRange(east))
  }

  /// The degrees from the western to the eastern edge, 0 to 360.
  package var width: Double {
    let region = inRange
    return region.east - region.west + (region.west > region.east ? 360 : 0)
  }

  /// The longitudes of the region, as ranges that do not cross the antimeridian.
  var meridians: [ClosedRange<Double>] {
    guard isValid else { return [] }
    let (west, east) = (inRange.west, inRange.east)
    if west > east { return [west...180, -180...east] }
    var ranges = [west...east]
    if east == 180 && west > -180 { ranges.append(-180 ... -180) }
    if west == -180 && east < 180 { ranges.append(180...180) }
    return ranges
  }
}
