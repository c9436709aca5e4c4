import Strata

/// All sightings as GeoJSON features: the payload of a map that sends everything at each change.
///
/// The features are made while they are encoded, away from the main actor.
struct Everything: Encodable, Sendable {
  let sightings: LiveElements<Sighting>

  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    for sighting in sightings {
      guard let latitude = sighting.latitude, let longitude = sighting.longitude else { continue }
      try container.encode(
        Feature(
          id: sighting.id, geometry: Feature.Geometry(coordinates: [longitude, latitude]),
          properties: Feature.Properties(
            id: sighting.id, title: sighting.place ?? "Somewhere", style: sighting.kind,
            priority: sighting.magnitude)))
    }
  }

  private struct Feature: Encodable {
    var type = "Feature"
    let id: String
    let geometry: Geometry
    let properties: Properties

    struct Geometry: Encodable {
      var type = "Point"
      let coordinates: [Double]
    }

    struct Properties: Encodable {
      let id: String
      let title: String
      let style: Sighting.Kind
      let priority: Double?
    }
  }
}
