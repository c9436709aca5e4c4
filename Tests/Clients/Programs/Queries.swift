import Foundation
import Strata

@MainActor
func queries(_ view: ViewContext) async throws {
  let limit = Date.now
  let ids = [UUID(), UUID()]
  _ = Song.where { $0.bpm > 100 && $0.title.contains("grace") && $0.artistID == nil }
    .sorted(by: \.title).limit(50)
  _ = Song.sorted(by: \.bpm, order: .reverse).offset(10)
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
  let here = Coordinate(latitude: 48.2, longitude: 16.4)
  let region = GeoRegion(center: here, latitudeSpan: 2, longitudeSpan: 3)
  _ = Song.where { $0.artist.home.isIn(region) || $0.artist.matches("nina") }
  _ = Artist.where { $0.home.isWithin(meters: 500, of: here) && $0.home.isKnown }
  _ = Artist.where { $0.matches(.phrase("nina simone"), in: \.name) }
  let nearest = view.live(Artist.nearest(to: here, by: Artist.home).limit(3))
  for found in try await view.search(Artist.matching(.prefix("ni"))) {
    print(found.entity.name, found.relevance, found.excerpt.text, nearest.elements.count)
    print(found.highlighted(\.name)?.matches.count ?? 0)
  }
}

nonisolated func offMain(_ song: Song) -> String { song.shout + song.loud + Song.schema.name }

actor Shelf {
  func isJazz(_ song: Song) -> Bool {
    song.genre == .jazz && song.lyrics == Lyrics() && song == song
  }
}

func values(_ view: ViewContext, _ stack: Stack) async throws {
  for (title, bpm) in try await view.fetch(Song.fast, \.title, \.bpm) { print(title, bpm ?? 0) }
  let titles = try await view.fetch(Song.fast, \.title).map { $0.count }
  let genres: [Genre] = try await view.distinct(\.genre, of: Song.all)
  let (count, fastest, average) = try await view.fetch(
    .count, .max(\.bpm), .average(\.bpm), of: Song.fast)
  let total = try await view.fetch(.sum(\.bpm), of: Song.all) + 1
  for (genre, count) in try await view.fetch(.count, of: Song.all.grouped(by: \.genre)) {
    print(genre.rawValue, count + 1)
  }
  for ((genre, loved), newest) in try await view.fetch(
    .max(\.updatedAt), of: Song.all.grouped(by: \.genre, \.loved))
  {
    print(genre.rawValue, loved, newest ?? .distantPast)
  }
  print(titles, genres, count, fastest ?? 0, average ?? 0, total)
  let keys = try await view.fetchKeys(Song.fast)
  if try await view.exists(Song.where { $0.loved }) { print(keys.count) }
  for try await songs in view.batches(of: Song.all, size: 100) { print(songs.count) }
  let limit = 100.0
  let raw = try await stack.read("SELECT * FROM \(Song.self) WHERE bpm > \(limit)", as: Song.self)
  for (title, number) in try await stack.read(
    "SELECT title, count(*) FROM songs GROUP BY \(\Song.title)", as: String.self, Int.self)
  {
    print(title, number + raw.count)
  }
  let quick = try await withStoreDeadline(in: .seconds(1)) { try await view.count(Song.fast) }
  print(quick, try await view.explain(Song.fast))
}

func titles(of source: some FetchSource) async throws -> [String] {
  try await source.fetch(Song.all, \.title)
}
