import Foundation
import Strata

/// An entity with full text, a location and ordered links.
struct Place: Entity, Equatable {
  var id = 0
  var text = ""
  var latitude = 0.0
  var longitude = 0.0

  static let location = spatial(\.latitude, \.longitude)
  static let tags = manyToMany(Tag.self, ordered: true)
  static let photos = toMany(\Photo.placeID, orderedBy: \.position)
  static let schema = Schema<Place>("places", key: \.id) {
    Attribute(\.text).fullText()
    Attribute(\.latitude)
    Attribute(\.longitude)
    location
    tags
    photos
  }

  static let count = 30

  /// Inserts all places with their photos, and the tags that they are linked with.
  static func fill(_ stack: Stack) async throws {
    try await stack.withScratch { scratch in
      for id in 0..<5 { scratch.insert(Tag(id: id, name: "tag \(id)")) }
      for id in 0..<count {
        let text = "\(id % 2 == 0 ? "even" : "odd") place \(id)"
        let place = Place(id: id, text: text, latitude: Double(id), longitude: 10)
        scratch.insert(place)
        for tag in 0..<5 { scratch.link(place, to: Tag(id: tag), in: tags) }
        for number in 0..<2 {
          scratch.insert(Photo(id: 2 * id + number, placeID: id, position: Double(number)))
        }
      }
    }
  }
}

struct Tag: Entity, Equatable {
  var id = 0
  var name = ""

  static let places = manyToMany(inverseOf: \Place.Type.tags)
  static let schema = Schema<Tag>("tags", key: \.id) {
    Attribute(\.name)
    places
  }
}

/// A photo of a place, at a position.
struct Photo: Entity, Equatable {
  var id = 0
  var placeID: Place.ID?
  var position = 0.0

  static let place = toOne(\.placeID, Place.self, onDelete: .cascade)
  static let schema = Schema<Photo>("photos", key: \.id) {
    place
    Attribute(\.position)
  }
}
