// expect: cannot convert value of type 'Predicate<Artist>' to expected argument type 'Predicate<Song>'
// A predicate and its query are of one entity.
import Foundation
import Strata

struct Artist: Entity {
  var id = 0
  var name = ""
  static let songs = toMany(\Song.artistID)
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name)
    songs
  }
}

struct Song: Entity {
  var id = 0
  var title = ""
  var bpm: Double?
  var loved = false
  var artistID: Artist.ID?
  static let artist = toOne(\.artistID, Artist.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.loved)
    artist
  }
}

func f() throws -> Query<Song> { try Query(#Predicate<Artist> { $0.name == "a" }) }
