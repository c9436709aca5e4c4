import Strata

struct Song: Entity, Equatable {
  var id = 0
  var title = ""
  var bpm: Double?
  var artistID: Artist.ID?

  static let artist = toOne(\.artistID, Artist.self, onDelete: .nullify)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    artist
  }
}

struct Artist: Entity, Equatable {
  var id = 0
  var name = ""
  static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
}
