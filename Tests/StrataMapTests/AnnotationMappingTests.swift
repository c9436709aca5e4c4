import Foundation
import Strata
import StrataMap
import StrataTestTurns
import Testing

private struct Quake: Entity {
  var id = UUID()
  var latitude = 0.0
  var longitude = 0.0
  var place = ""
  var note: String?
  var magnitude = 0.0
  var reports = 0
  var depth: Double?

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.place)
    Attribute(\.note)
    Attribute(\.magnitude)
    Attribute(\.reports)
    Attribute(\.depth)
  }
}

private struct Sight: Entity {
  var id = UUID()
  var latitude: Double?
  var longitude: Double?

  static let schema = Schema<Sight>("sights", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
}

@Suite(.inTurn) struct AnnotationMappingTests {
  private let place = AnnotationMapping<Quake>(latitude: \.latitude, longitude: \.longitude)
  private let quake = Quake(
    latitude: -9.3, longitude: 158.2, place: "Solomon Islands", note: "felt", magnitude: 6.5,
    reports: 12)

  @Test func `a mapping without parts makes an annotation of a key and a place`() {
    let expected = SurfaceAnnotation(
      id: key(1), coordinate: Coordinate(latitude: -9.3, longitude: 158.2))
    #expect(place.annotation(for: quake, id: key(1)) == expected)
  }

  @Test func `parts are read from their attributes and formatted`() {
    let mapping = place.title(\.place).subtitle(\.magnitude) { "M \($0)" }
      .style(\.magnitude) { $0 > 6 ? "red" : "orange" }.priority(\.magnitude)
    let expected = SurfaceAnnotation(
      id: key(1), coordinate: Coordinate(latitude: -9.3, longitude: 158.2),
      title: "Solomon Islands", subtitle: "M 6.5", style: "red", priority: 6.5)
    #expect(mapping.annotation(for: quake, id: key(1)) == expected)
  }

  @Test func `optional and whole numbers make priorities and optional text makes titles`() {
    let named = place.title(\.note).subtitle(\.note).style(\.note)
    #expect(named.annotation(for: quake, id: key(1))?.title == "felt")
    #expect(named.annotation(for: Quake(), id: key(1))?.style == "")
    #expect(place.priority(\.reports).annotation(for: quake, id: key(1))?.priority == 12)
    #expect(place.priority(\.depth).annotation(for: quake, id: key(1))?.priority == 0)
    let negated = place.priority(\.magnitude) { -$0 }
    #expect(negated.annotation(for: quake, id: key(1))?.priority == -6.5)
  }

  @Test func `a mapping lists the key paths it reads and no others`() {
    let mapping = place.title(\.place).style(\.magnitude) { "\($0)" }.priority(\.magnitude)
    let expected: [PartialKeyPath<Quake>] = [
      \.latitude, \.longitude, \.place, \.magnitude, \.magnitude,
    ]
    #expect(mapping.keyPaths.map { $0 as PartialKeyPath<Quake> } == expected)
  }

  @Test func `a part given twice is the one given last`() {
    let mapping = place.title(\.place).title(\.note)
    #expect(mapping.annotation(for: quake, id: key(1))?.title == "felt")
    #expect(mapping.keyPaths.count == 3)
  }

  @Test func `an entity without a valid coordinate is withheld`() {
    let mapping = AnnotationMapping<Sight>(latitude: \.latitude, longitude: \.longitude)
    #expect(mapping.annotation(for: Sight(), id: key(1)) == nil)
    #expect(mapping.annotation(for: Sight(latitude: 1), id: key(1)) == nil)
    #expect(mapping.annotation(for: Sight(latitude: 91, longitude: 0), id: key(1)) == nil)
    #expect(mapping.annotation(for: Sight(latitude: 1, longitude: 2), id: key(1)) != nil)
    #expect(place.annotation(for: Quake(longitude: 181), id: key(1)) == nil)
  }
}
