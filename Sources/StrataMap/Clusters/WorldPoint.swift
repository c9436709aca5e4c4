internal import Foundation
internal import Strata

/// A place on the square of the Web Mercator projection, whose side is 2³² units.
///
/// Distances in whole numbers are exact, so that clusters are the same on every machine. Since 2³²
/// is where a `UInt32` starts again at 0, the antimeridian is no edge. A unit is 9 mm at the
/// equator.
struct WorldPoint: Sendable, Hashable {
  /// The distance eastwards from the antimeridian.
  let x: UInt32
  /// The distance southwards from the northern edge, at about 85 degrees. Places beyond lie on the
  /// edge.
  let y: UInt32

  /// The number of units around the world.
  static let side = 4_294_967_296.0

  /// Creates the place of a valid coordinate.
  init(_ coordinate: Coordinate) {
    x = UInt32(truncatingIfNeeded: Int64((coordinate.longitude / 360 + 0.5) * Self.side))
    y = Self.y(coordinate.latitude)
  }

  static func y(_ latitude: Double) -> UInt32 {
    let sine = sin(latitude * .pi / 180)
    // The share is infinite at the poles.
    let share = 0.5 - 0.25 * log((1 + sine) / (1 - sine)) / .pi
    return UInt32(min(max(share * side, 0), side - 1))
  }

  /// Returns the square of the distance to a place at most half the world away, the shorter way
  /// around.
  ///
  /// The result is nil if the distance is more than `radius`, which is at most half the world.
  @inline(__always)
  func squaredDistance(to other: WorldPoint, within radius: UInt32) -> UInt64? {
    let eastward = UInt64(Int32(bitPattern: x &- other.x).magnitude)
    let southward = UInt64(y > other.y ? y - other.y : other.y - y)
    let limit = UInt64(radius)
    guard eastward <= limit, southward <= limit else { return nil }
    let square = eastward * eastward + southward * southward
    return square <= limit * limit ? square : nil
  }
}
