/// A point on the Earth: latitude and longitude in degrees, WGS84.
///
/// Any pair of numbers can be held; ``isValid`` tells whether it is a place. A registry withholds an
/// annotation whose coordinate is not, until it is.
public struct Coordinate: Sendable, Hashable {
  /// Degrees north of the equator, -90 to 90.
  public var latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
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
}
