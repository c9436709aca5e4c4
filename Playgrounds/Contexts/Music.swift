import Foundation
import Strata

struct Album: Entity {
  var id = UUID.timeOrdered()
  var title = ""

  static let songs = toMany(\Song.albumID)
  static let schema = Schema<Album>("albums", key: \.id) {
    Attribute(\.title)
    songs
  }
}

struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var rating = 0
  var plays = 0
  var albumID: Album.ID?

  static let album = toOne(\.albumID, Album.self, onDelete: .cascade)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.rating)
    Attribute(\.plays)
    album
  }
}
