import Foundation
import Strata

struct Artist: Entity {
  var id = UUID.timeOrdered()
  var name = ""

  static let songs = toMany(\Song.artistID)
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name).indexed()
    songs
  }
}

enum Genre: String, AttributeValue, CaseIterable { case blues, jazz, rock }

struct Lyrics: JSONValue, Equatable {
  var lines: [String] = []
  var language = "en"
}

struct Song: Entity, Equatable {
  var id = UUID.timeOrdered()
  var title = ""
  var bpm: Double?
  var loved = false
  var hidden = false
  var genre = Genre.rock
  var lyrics: Lyrics?
  var tags: [String] = []
  var artistID: Artist.ID?
  var updatedAt = Date.distantPast

  var shout: String { title.uppercased() + (genre == .jazz ? "~" : "!") }

  static let artist = toOne(\.artistID, Artist.self, "artist_id", onDelete: .nullify)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.bpm)
    Attribute(\.loved)
    Attribute(\.hidden)
    Attribute(\.genre)
    Attribute(\.lyrics)
    Attribute(\.tags)
    artist
    Attribute(\.updatedAt, "updated_at")
    Unique(\.title, \.artistID)
  }
}

extension Song {
  var loud: String { shout + "!!" }
  static let fast = Song.where { $0.bpm > 140 }
}

struct Quake: Entity {
  var id = ""
  var place = ""
  var magnitude = 0.0
  var latitude = 0.0
  var longitude = 0.0
  var time = Date.distantPast

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.place)
    Attribute(\.magnitude).indexed()
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.time)
  }
}
