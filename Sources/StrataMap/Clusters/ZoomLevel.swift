/// The whole zoom level of a map whose zoom oscillates.
///
///     zoom 4.9 → 4,  5 → 5,  4.9 → 5,  4.8 → 5,  4.7 → 4,  4.9 → 4
///
/// The level is the whole part of the zoom, but when the map zooms out it changes a quarter later.
/// A zoom that stays within ±0.1 of any value changes the level at most once. A whole zoom is
/// always its own level.
package struct ZoomLevel: Sendable, Hashable {
  package private(set) var level: Int
  private static let slack = 0.25

  package init(_ zoom: Double) {
    level = Self.whole(zoom)
  }

  /// Sets the map's zoom, and returns whether the level changed.
  package mutating func set(_ zoom: Double) -> Bool {
    if zoom >= Double(level) - Self.slack && zoom < Double(level + 1) { return false }
    let new = Self.whole(zoom)
    defer { level = new }
    return new != level
  }

  /// Maps have no zoom levels outside of 0 to 30.
  private static func whole(_ zoom: Double) -> Int {
    zoom.isNaN ? 0 : Int(min(max(zoom, 0), 30).rounded(.down))
  }
}
