import Foundation
import StrataImport

extension Quake {
  /// The members of a record that become attributes.
  static let json = JSONMapping<Quake> {
    Field(\.id, "id")
    Field(\.place, "properties.place")
    Field(\.magnitude, "properties.mag")
    Field(\.time, "properties.time", .epochMilliseconds)
  }
}

extension Feed {
  /// The earthquakes of the last day, from the U.S. Geological Survey.
  static let quakes = Feed(
    "quakes", Quake.self,
    from: URLRequest(
      url: URL(
        string: "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.geojson")!),
    as: .featureCollection, mapping: Quake.json, absent: .delete)
}
