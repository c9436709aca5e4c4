import Foundation
import Strata
import StrataImport
import StrataMap

/// The app's only entity: a struct, and a table for it.
struct Quake: Entity {
  var id = ""
  var place: String?
  var magnitude: Double?
  var latitude: Double?
  var longitude: Double?
  var time: Date?
  /// The user's own note. No import changes it.
  var note = ""

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.place)
    Attribute(\.magnitude).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.time)
    Attribute(\.note)
  }

  /// The members of the feed that become attributes.
  ///
  /// Any collection of points will do. Text that is not a number counts as missing, and the
  /// position of a feature without an id is its key.
  static let json = JSONMapping<Quake> {
    Field(\.id, "id", .text { $0 }).orPosition()
    Field(\.place, "properties.place", .text { $0 })
    Field(\.magnitude, "properties.mag", .text { Double($0) })
    Field(\.latitude, "geometry.coordinates[1]", .text { Double($0) })
    Field(\.longitude, "geometry.coordinates[0]", .text { Double($0) })
    Field(\.time, "properties.time", .text { Double($0).map(Date.init(milliseconds:)) })
  }

  /// The mapping of a quake to a pin.
  static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
    .title(\.place) { $0 ?? "somewhere" }
    .style(\.magnitude) { ($0 ?? 0) >= 5 ? "red" : ($0 ?? 0) >= 3 ? "orange" : "yellow" }
    .subtitle(\.magnitude) { $0.map { String(format: "M %.1f", $0) } ?? "" }
    .priority(\.magnitude) { $0 ?? 0 }
}

extension Date {
  /// Makes a date from milliseconds since 1970, as feeds write them.
  init(milliseconds: Double) { self.init(timeIntervalSince1970: milliseconds / 1000) }
  var milliseconds: Double { timeIntervalSince1970 * 1000 }
}
