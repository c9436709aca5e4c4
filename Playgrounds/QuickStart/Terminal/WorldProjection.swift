import Strata
import StrataMap

/// A projection from degrees to dots: an equirectangular map from 84° N to 57° S, around the whole
/// Earth.
///
/// Dots are square: a terminal cell is about twice as high as wide, and holds 2 x 4 dots. So by
/// default a map of w cells is about w / 5 lines high.
struct WorldProjection: Hashable {
  static let north = 84.0
  static let south = -57.0

  let width: Int
  let height: Int

  /// Creates a map with a number of cells; without a height, as many lines as keep it undistorted.
  init(columns: Int, rows: Int?) {
    width = columns * 2
    let natural = (Self.north - Self.south) * Double(width) / 360 / 4
    height = (rows ?? max(1, Int(natural.rounded(.up)))) * 4
  }

  /// Returns the position of degrees, in dots from the upper left corner; it may be outside the
  /// map.
  func point(latitude: Double, longitude: Double) -> (x: Double, y: Double) {
    (
      x: (longitude + 180) / 360 * Double(width),
      y: (Self.north - latitude) / (Self.north - Self.south) * Double(height)
    )
  }

  /// Returns the cell of a valid coordinate; coordinates beyond the map's north or south are at its
  /// edge.
  func cell(of coordinate: Coordinate) -> (column: Int, row: Int) {
    let (x, y) = point(latitude: coordinate.latitude, longitude: coordinate.longitude)
    return (
      column: min(max(Int(x), 0), width - 1) / 2,
      row: min(max(Int(y), 0), height - 1) / 4
    )
  }
}
