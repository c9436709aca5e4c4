public import Foundation
public import Strata
import StrataImport
import StrataMap

/// A sighting: a quake from the feed, or a balloon of the playground's own.
public struct Sighting: Entity {
  public enum Kind: String, AttributeValue, Codable, CaseIterable { case quake, balloon }

  public var id = ""
  public var kind = Kind.quake
  public var place: String?
  public var magnitude: Double?
  public var latitude: Double?
  public var longitude: Double?
  public var time: Date?
  /// The user's own note. No feed changes it, and the winds do not either.
  public var note = ""
  /// Whether the user has deleted the quake. The row stays, because the feed still has the quake: an
  /// import would insert it again. No field of the mapping writes this attribute.
  public var isHidden = false

  public init() {}

  public static let schema = Schema<Sighting>("sightings", key: \.id) {
    Attribute(\.kind).indexed()
    Attribute(\.place)
    Attribute(\.magnitude).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.time)
    Attribute(\.note)
    Attribute(\.isHidden)
  }

  /// The members of a feed of quakes that become attributes.
  ///
  /// An attribute without a field is never imported.
  static let json = JSONMapping<Sighting> {
    Field(\.id, "id")
    Field(\.place, "properties.place")
    Field(\.magnitude, "properties.mag")
    Field(\.latitude, "geometry.coordinates[1]")
    Field(\.longitude, "geometry.coordinates[0]")
    Field(\.time, "properties.time", .epochMilliseconds)
  }

  /// The mapping of a sighting to a pin.
  ///
  /// A cluster has its number of balloons, and its numbers of medium, strong and great quakes.
  static let pins = AnnotationMapping<Sighting>(latitude: \.latitude, longitude: \.longitude)
    .title(\.place) { $0 ?? "Somewhere" }
    .subtitle(\.magnitude) { $0.map { String(format: "M %.1f", $0) } ?? "" }
    .style(\.kind) { $0.rawValue }
    .priority(\.magnitude)
    .clusterValue(\.kind, { $0 == .balloon ? 1 : 0 }, +)
    .clusterValue(\.magnitude, { (2.5..<4.5).contains($0 ?? 0) ? 1 : 0 }, +)
    .clusterValue(\.magnitude, { (4.5..<6).contains($0 ?? 0) ? 1 : 0 }, +)
    .clusterValue(\.magnitude, { $0 ?? 0 >= 6 ? 1 : 0 }, +)

  /// The sightings that the user has not deleted.
  static var visible: Query<Sighting> { Sighting.where { !$0.isHidden } }
  static var balloons: Query<Sighting> { visible.where { $0.kind == .balloon } }
  static var quakes: Query<Sighting> { visible.where { $0.kind == .quake } }
}
