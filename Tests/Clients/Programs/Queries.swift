import Foundation
import Strata

func queries(_ view: ViewContext) async throws {
  let limit = Date.now
  let ids = [UUID(), UUID()]
  _ = Song.where { $0.bpm > 100 && $0.title.contains("grace") && $0.artistID == nil }
    .sorted(by: \.title).limit(50)
  _ = Song.sorted(by: \.bpm, .descending).offset(10)
  _ = Song.where { $0.artist.name == "Nina" || $0.genre == .jazz }
  _ = Song.where { $0.artist.name.hasPrefix("N") && !$0.title.contains("x") && $0.id.isIn(ids) }
  _ = Song.where { $0.updatedAt > limit.addingTimeInterval(-3600) && $0.bpm != nil }
  _ = Song.where { $0.genre.isIn([.jazz, .blues]) && $0.bpm.isIn(60.0...180.0) }
  _ = Song.where { $0.loved && !$0.hidden && $0.loved == true && $0.hidden != true }
  let songs = try await view.fetch(.where { $0.bpm > 100 && $0.artistID == nil }) as [Song]
  let nina = Artist(name: "Nina")
  let hers = try await view.fetch(Artist.songs(of: nina).sorted(by: \.title))
  let count = try await view.count(Song.fast)
  print(songs.count, hers.count, count)
}

nonisolated func offMain(_ song: Song) -> String { song.shout + song.loud + Song.schema.name }

actor Shelf {
  func isJazz(_ song: Song) -> Bool {
    song.genre == .jazz && song.lyrics == Lyrics() && song == song
  }
}
