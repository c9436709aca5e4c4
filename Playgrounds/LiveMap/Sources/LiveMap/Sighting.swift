import Foundation
import Strata
import StrataImport
import StrataMap

/// What was seen, and where: a quake from the feed, or a balloon of the playground's own.
struct Sighting: Entity {
  enum Kind: String, AttributeValue, Codable, CaseIterable { case quake, balloon }

  var id = ""
  var kind = Kind.quake
  var place: String?
  var magnitude: Double?
  var latitude: Double?
  var longitude: Double?
  var time: Date?
  /// The user's own: no feed ever touches it, and neither do the winds.
  var note = ""

  static let schema = Schema<Sighting>("sightings", key: \.id) {
    Attribute(\.kind).indexed()
    Attribute(\.place)
    Attribute(\.magnitude).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.time)
    Attribute(\.note)
  }

  /// Where a feed of quakes has each attribute. What has no field here is never imported.
  static let json = JSONMapping<Sighting> {
    Field(\.id, "id")
    Field(\.place, "properties.place")
    Field(\.magnitude, "properties.mag")
    Field(\.latitude, "geometry.coordinates[1]")
    Field(\.longitude, "geometry.coordinates[0]")
    Field(\.time, "properties.time", .epochMilliseconds)
  }

  /// How a sighting becomes a pin. A cluster knows how many balloons it has, and its strongest
  /// quake.
  static let pins = AnnotationMapping<Sighting>(latitude: \.latitude, longitude: \.longitude)
    .title(\.place) { $0 ?? "Somewhere" }
    .subtitle(\.magnitude) { $0.map { String(format: "M %.1f", $0) } ?? "" }
    .style(\.kind) { $0.rawValue }
    .priority(\.magnitude)
    .clusterValue(\.kind, { $0 == .balloon ? 1 : 0 }, +)
    .clusterValue(\.magnitude, { $0 ?? -10 }, max)

  static var balloons: Query<Sighting> { Sighting.where { $0.kind == .balloon } }
  static var quakes: Query<Sighting> { Sighting.where { $0.kind == .quake } }
}
