internal import StrataSQLite

/// A point on the Earth, as latitude and longitude in degrees (WGS84).
///
/// A coordinate can hold any pair of numbers. ``isValid`` tells whether it is a place. In queries,
/// an invalid coordinate is in no region and at no distance. A registry withholds an annotation
/// until its coordinate is valid.
///
/// ```swift
/// let kiel = Coordinate(latitude: 54.32, longitude: 10.13)
/// print(kiel.meters(to: harbour))
/// ```
public struct Coordinate: Sendable, Hashable {
  /// Degrees north of the equator, -90 to 90.
  public var latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
  ///
  /// Both ends are the same meridian.
  public var longitude: Double

  /// Creates a coordinate from degrees, without checking them.
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether both numbers are finite and in range, including both ends of each range.
  public var isValid: Bool {
    // NaN and the infinities are outside of both ranges.
    (-90...90).contains(latitude) && (-180...180).contains(longitude)
  }

  /// Returns the distance to another place in meters, along a great circle.
  ///
  /// The Earth is taken as a sphere of its mean radius. The distance differs by up to 0.5 % from
  /// the distance on the ellipsoid. Queries compute the same number to the last bit. The distance
  /// is not a number if a coordinate is not finite.
  public func meters(to other: Coordinate) -> Double {
    GreatCircle.meters(latitude, longitude, other.latitude, other.longitude)
  }
}
