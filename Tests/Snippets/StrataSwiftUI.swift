// The declarations that the snippets in StrataSwiftUI's comments use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var genre = ""
  var loved = false
  var artistID: Artist.ID?

  static let artist = toOne(\.artistID, Artist.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.genre)
    Attribute(\.loved)
    artist
  }
}

private struct Artist: Entity {
  var id = UUID.timeOrdered()
  var name = ""

  static let songs = toMany(\Song.artistID)
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name)
    songs
  }
}
