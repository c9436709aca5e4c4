import Foundation
import Strata

struct Artist: Entity {
  var id = UUID.timeOrdered()
  var name = ""
  var latitude: Double?
  var longitude: Double?

  static let home = spatial(\.latitude, \.longitude)
  static let songs = toMany(\Song.artistID)
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name).indexed().fullText(weight: 2)
    Attribute(\.latitude)
    Attribute(\.longitude)
    FullText<Artist>(.porter(), prefixes: 2)
    home
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
  static let playlists = manyToMany(inverseOf: \Playlist.Type.songs)
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

struct Playlist: Entity {
  var id = UUID.timeOrdered()
  var name = ""
  var shelfPosition = 0.0
  var shelfID: Playlist.ID?

  static let songs = manyToMany(Song.self, ordered: true)
  static let shelf = toOne(\.shelfID, Playlist.self, onDelete: .cascade)
  static let shelved = toMany(\Playlist.shelfID, orderedBy: \Playlist.shelfPosition)
  static let schema = Schema<Playlist>("playlists", key: \.id) {
    Attribute(\.name)
    Attribute(\.shelfPosition)
    shelf
    shelved
    songs
  }
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

struct Room: Entity {
  var id = Key<Room>()
  var name: String?

  static let bookings = toMany(\Booking.roomID)
  static let schema = Schema<Room>("rooms", key: \.id) {
    Attribute(\.name).required().validated(length: 1...20)
    bookings
  }
}

struct Booking: Entity, Equatable {
  var id = Key<Booking>()
  var code: String?
  var guests = 1
  var price: Double?
  var begins = Date.distantPast
  var ends = Date.distantFuture
  var roomID: Room.ID?

  static let room = toOne(\.roomID, Room.self)
  static let schema = Schema<Booking>("bookings", key: \.id) {
    Attribute(\.code).validated(matching: #/[A-Z]{2}[0-9]+/#, message: "two letters and a number")
    Attribute(\.guests).validated(1...12)
    Attribute(\.price).validated(0...).validated("whole cents") { ($0 * 100).rounded() == $0 * 100 }
    Attribute(\.begins)
    Attribute(\.ends)
    room
    Validation<Booking>("ends after it begins") { $0.begins < $0.ends }
  }
}
