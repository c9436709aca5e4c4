import Foundation
import Strata

/// The third version: artists are entities of their own.
enum Version3 {
  struct Artist: Entity {
    var id = UUID.timeOrdered()
    var name = ""

    static let songs = toMany(\Song.artistID)
    static let schema = Schema<Artist>("artists", key: \.id) {
      Attribute(\.name).unique()
      songs
    }
  }

  struct Song: Entity {
    var id = UUID.timeOrdered()
    var title = ""
    var artistID: Artist.ID?
    var duration = 0.0
    var rating = 3

    static let artist = toOne(\.artistID, Artist.self)
    static let schema = Schema<Song>("songs", key: \.id) {
      Attribute(\.title).formerly("name").indexed()
      artist
      Attribute(\.duration).formerly("seconds").converted(from: Int.self) { Double($0) }
      Attribute(\.rating)
    }
  }

  static let splitArtists = MigrationStep(to: 3) { migration in
    try migration.createTable(
      .init("artists", columns: [.init("id", .blob), .init("name", .text)]))
    try migration.addColumn(.init("artistID", .blob, isOptional: true), to: "songs")
    var ids: [String: UUID] = [:]
    for song in try migration.rows(of: "songs") {
      let name = try song.value("artist", as: String.self)
      let id = ids[name] ?? UUID.timeOrdered()
      if ids.updateValue(id, forKey: name) == nil {
        try migration.insert(["id": id.cell, "name": .text(name)], into: "artists")
      }
      try migration.update(song.key, of: "songs", ["artistID": id.cell])
    }
    try migration.removeColumn("artist", from: "songs")
  }
}
