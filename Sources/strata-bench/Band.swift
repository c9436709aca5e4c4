import Foundation
import Strata

/// The artist of W10.
struct Band: Entity, Equatable {
  var id = 0
  var name = ""

  static let songs = toMany(\BandSong.artistID)
  static let schema = Schema<Band>("bands", key: \.id) {
    Attribute(\.name)
    songs
  }
}

/// The song of the other workloads, with a reference to its artist.
struct BandSong: Entity, Equatable {
  var id = 0
  var title = ""
  var subtitle: String?
  var artistID: Band.ID?
  var ccli: Int?
  var bpm = 0.0
  var key = ""
  var themes = ""
  var createdAt = Date(timeIntervalSinceReferenceDate: 0)
  var updatedAt = Date(timeIntervalSinceReferenceDate: 0)
  var hidden = false

  static let artist = toOne(\.artistID, Band.self)
  static let schema = Schema<BandSong>("songs", key: \.id) {
    Attribute(\.title).indexed()
    Attribute(\.subtitle)
    artist
    Attribute(\.ccli)
    Attribute(\.bpm)
    Attribute(\.key)
    Attribute(\.themes)
    Attribute(\.createdAt)
    Attribute(\.updatedAt)
    Attribute(\.hidden)
  }
}
