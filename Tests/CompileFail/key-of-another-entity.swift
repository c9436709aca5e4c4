// expect: cannot assign value of type 'Key<Song>' to type 'Artist.ID' (aka 'Key<Artist>')
// The keys of two entities have different types, although both are UUIDs.
import Strata

struct Artist: Entity {
  var id = Key<Artist>()
  static let schema = Schema<Artist>("artists", key: \.id) {}
}

struct Song: Entity {
  var id = Key<Song>()
  var artistID: Artist.ID?
  static let artist = toOne(\.artistID, Artist.self)
  static let schema = Schema<Song>("songs", key: \.id) { artist }
}

func attribute(_ song: inout Song, to other: Song) { song.artistID = other.id }
