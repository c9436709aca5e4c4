internal import Foundation
internal import Strata

/// An annotation as a GeoJSON feature (RFC 7946).
struct GeoJSONFeature: Sendable, Hashable, Encodable {
  let type = "Feature"
  let id: GeoJSONID
  let geometry: Geometry
  let properties: [String: GeoJSONValue]

  struct Geometry: Sendable, Hashable, Encodable {
    let type = "Point"
    /// The longitude and then the latitude.
    let coordinates: [Double]

    private enum CodingKeys: CodingKey { case type, coordinates }
  }

  struct Collection: Encodable {
    let type = "FeatureCollection"
    let features: [GeoJSONFeature]

    private enum CodingKeys: CodingKey { case type, features }
  }

  private enum CodingKeys: CodingKey { case type, id, geometry, properties }

  init(_ annotation: SurfaceAnnotation) {
    id = GeoJSONID(annotation.id)
    geometry = Geometry(
      coordinates: [annotation.coordinate.longitude, annotation.coordinate.latitude])
    var properties: [String: GeoJSONValue] = ["id": .id(id)]
    let texts = [
      "title": annotation.title, "subtitle": annotation.subtitle, "style": annotation.style,
    ]
    for (key, text) in texts where !text.isEmpty { properties[key] = .text(text) }
    if annotation.priority != 0 { properties["priority"] = .number(annotation.priority) }
    if !annotation.values.isEmpty { properties["values"] = .numbers(annotation.values) }
    if let cluster = annotation.cluster {
      properties["cluster"] = .truth(true)
      properties["point_count"] = .number(Double(cluster.count))
      properties["zoom"] = .number(Double(cluster.zoom))
    }
    self.properties = properties
  }
}

/// A record's key as an id that JavaScript represents exactly.
enum GeoJSONID: Sendable, Hashable, Encodable {
  case number(Int64)
  case text(String)

  init(_ key: RecordKey) {
    switch key.cell {
    case .integer(let value) where value.magnitude < 1 << 53: self = .number(value)
    case .text(let text): self = .text(text)
    case .blob(let bytes) where bytes.count != 16:
      self = .text(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    case .null, .integer, .real, .blob: self = .text(key.description)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}

/// The value of a property.
enum GeoJSONValue: Sendable, Hashable, Encodable {
  case id(GeoJSONID)
  case text(String)
  case number(Double)
  case numbers([Double])
  case truth(Bool)

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .id(let id): try container.encode(id)
    case .text(let text): try container.encode(text)
    // JSON has no infinities.
    case .number(let number): try container.encode(number.isFinite ? number : nil)
    case .numbers(let numbers): try container.encode(numbers.map { $0.isFinite ? $0 : nil })
    case .truth(let truth): try container.encode(truth)
    }
  }
}

/// The encoding of GeoJSON.
enum GeoJSONEncoding {
  static func bytes(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do { return try [UInt8](encoder.encode(value)) } catch {
      fatalError("GeoJSON: \(error); every number that is written is finite")
    }
  }
}
