import Foundation
import Strata
import StrataImport
import StrataMap

/// What the app keeps: one struct, one table.
struct Quake: Entity {
  var id = ""
  var place: String?
  var magnitude: Double?
  var latitude: Double?
  var longitude: Double?
  var time: Date?
  /// The user's own: no feed ever touches it.
  var note = ""

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.place)
    Attribute(\.magnitude).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.time)
    Attribute(\.note)
  }

  /// Where the feed has each attribute. Any collection of points will do, so whatever is no number
  /// counts as missing, and a feature without an id is known by its position.
  static let json = JSONMapping<Quake> {
    Field(\.id, "id", .text { $0 }).orPosition()
    Field(\.place, "properties.place", .text { $0 })
    Field(\.magnitude, "properties.mag", .text { Double($0) })
    Field(\.latitude, "geometry.coordinates[1]", .text { Double($0) })
    Field(\.longitude, "geometry.coordinates[0]", .text { Double($0) })
    Field(\.time, "properties.time", .text { Double($0).map(Date.init(milliseconds:)) })
  }

  /// How a quake becomes a pin.
  static let pins = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
    .title(\.place) { $0 ?? "somewhere" }
    .style(\.magnitude) { ($0 ?? 0) >= 5 ? "red" : ($0 ?? 0) >= 3 ? "orange" : "yellow" }
    .subtitle(\.magnitude) { $0.map { String(format: "M %.1f", $0) } ?? "" }
    .priority(\.magnitude) { $0 ?? 0 }
}

extension Date {
  /// Milliseconds since 1970, as feeds write them.
  init(milliseconds: Double) { self.init(timeIntervalSince1970: milliseconds / 1000) }
  var milliseconds: Double { timeIntervalSince1970 * 1000 }
}
