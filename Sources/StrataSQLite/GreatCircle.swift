internal import CStrataSQLite
internal import Foundation

/// Distances on a sphere of the Earth's mean radius, in memory and as the SQL function
/// `strata_meters(latitude, longitude, latitude, longitude)`.
///
/// Both use one compiled function, so that they agree to the last bit.
package enum GreatCircle {
  /// The mean radius of the Earth, in meters.
  package static let radius = 6_371_008.8

  /// Returns the distance of two places in meters, from their latitudes and longitudes in degrees.
  ///
  /// The haversine formula is exact to a few parts in 10¹⁵ for near places, and to a meter for
  /// places at opposite ends of the Earth.
  @inline(never)
  package static func meters(
    _ latitude: Double, _ longitude: Double, _ otherLatitude: Double, _ otherLongitude: Double
  ) -> Double {
    let degree = Double.pi / 180
    let northward = sin((otherLatitude - latitude) * degree / 2)
    let eastward = sin((otherLongitude - longitude) * degree / 2)
    let square =
      northward * northward
      + cos(latitude * degree) * cos(otherLatitude * degree) * eastward * eastward
    // Rounding may give a little more than 1 for opposite places.
    return 2 * radius * asin(min(1, square.squareRoot()))
  }

  static func register(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, "strata_meters", 4, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
      { context, _, arguments in
        guard let arguments else { return sqlite3_result_null(context) }
        for argument in 0..<4 where sqlite3_value_type(arguments[argument]) != SQLITE_FLOAT {
          return sqlite3_result_null(context)
        }
        sqlite3_result_double(
          context,
          GreatCircle.meters(
            sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1]),
            sqlite3_value_double(arguments[2]), sqlite3_value_double(arguments[3])))
      }, nil, nil, nil)
  }
}
