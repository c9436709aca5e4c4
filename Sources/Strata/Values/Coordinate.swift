internal import StrataSQLite

/// A point on the Earth: latitude and longitude in degrees, WGS84.
///
/// Any pair of numbers can be held; ``isValid`` tells whether it is a place. Queries leave out what
/// is none, and a registry withholds an annotation whose coordinate is none, until it is one.
public struct Coordinate: Sendable, Hashable {
  /// Degrees north of the equator, -90 to 90.
  public var latitude: Double
  /// Degrees east of Greenwich, -180 to 180; both ends are the same meridian.
  public var longitude: Double

  /// Creates a coordinate from degrees, without checking them.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both numbers are finite and in range, both ends included.
  public var isValid: Bool {
    // NaN and the infinities are in neither range.
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// The distance to another place in meters, along the great circle on a sphere of the Earth's
  /// mean radius.
  ///
  /// Up to 0.5 % more or less than on the ellipsoid. Queries measure in the same way, to the last
  /// bit. Not a number if one of the coordinates is not finite.
  public func meters(to other: Coordinate) -> Double {
    GreatCircle.meters(latitude, longitude, other.latitude, other.longitude)
  }
}
