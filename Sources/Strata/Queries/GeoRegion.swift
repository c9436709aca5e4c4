/// A part of the Earth between two parallels and two meridians, edges included.
///
/// It reaches eastwards from ``west`` to ``east``. If `west` is the greater number, the region
/// crosses the antimeridian: from 170 to -170 it is 20 degrees wide. From -180 to 180 it goes all
/// around.
///
/// ```swift
/// let fiji = GeoRegion(south: -21, west: 176, north: -15, east: -178)  // across the date line
/// print(fiji.contains(harbour))
/// ```
public struct GeoRegion: Sendable, Hashable {
  /// The southern edge, degrees north, -90 to 90.
  public var south: Double
  /// The western edge, degrees east, -180 to 180.
  public var west: Double
  /// The northern edge, degrees north, -90 to 90.
  public var north: Double
  /// The eastern edge, degrees east, -180 to 180.
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
  /// It ends at the poles and crosses the antimeridian where necessary.
  ///
  /// - Parameters:
  ///   - center: the middle of both spans.
  ///   - latitudeSpan: degrees from its southern to its northern edge, 0 or more.
  ///   - longitudeSpan: degrees from its western to its eastern edge. A span of 360 or more goes
  ///     all around.
  public init(center: Coordinate, latitudeSpan: Double, longitudeSpan: Double) {
    let isAround = longitudeSpan >= 360
    self.init(
      south: max(-90, center.latitude - latitudeSpan / 2),
      west: isAround ? -180 : Self.wrapped(center.longitude - longitudeSpan / 2),
      north: min(90, center.latitude + latitudeSpan / 2),
      east: isAround ? 180 : Self.wrapped(center.longitude + longitudeSpan / 2))
  }

  private static func wrapped(_ longitude: Double) -> Double {
    if longitude < -180 { return longitude + 360 }
    return longitude > 180 ? longitude - 360 : longitude
  }

  /// Whether all edges are in range and the southern one is not north of the northern one.
  public var isValid: Bool {
    (-90...90).contains(south) && (-90...90).contains(north) && south <= north
      && (-180...180).contains(west) && (-180...180).contains(east)
  }

  /// Returns whether a place lies in the region, and false for an invalid coordinate.
  ///
  /// The longitudes 180 and -180 are the same meridian. At a pole, the longitude still counts.
  public func contains(_ place: Coordinate) -> Bool {
    place.latitude >= south && place.latitude <= north
      && meridians.contains { $0.contains(place.longitude) }
  }

  /// The longitudes of the region, as ranges that do not cross the antimeridian.
  var meridians: [ClosedRange<Double>] {
    guard isValid else { return [] }
    if west > east { return [west...180, -180...east] }
    var ranges = [west...east]
    if east == 180 && west > -180 { ranges.append(-180 ... -180) }
    if west == -180 && east < 180 { ranges.append(180...180) }
    return ranges
  }
}
