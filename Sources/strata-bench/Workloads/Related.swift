import Foundation
import Strata

extension Workload {
  /// Artists with their songs, by two statements on either side.
  static let related = Workload(
    name: "W10", summary: "1,000 of 10,000 artists with their songs, of 100,000"
  ) { bench in
    let artists = 10_000
    let songs = 100_000
    let roots = 1_000
    let url = try await RelatedStore.make(bench, artists: artists, songs: songs)
    defer { bench.remove(url) }
    let stack = try await Stack.open(Band.self, BandSong.self, at: url)
    let raw = try RawConnection(url.path)
    let select = try raw.prepare("SELECT id, name FROM bands ORDER BY id LIMIT \(roots)")
    let expected = try RelatedStore.fetch(raw, select)
    try check(expected.count == roots, "\(expected.count) artists")
    let count = expected.reduce(0) { $0 + $1.1.count }
    try check(count > 8_000, "\(count) songs")
    let query = Band.all.limit(roots)
    let figures = try await bench.compare(["artists with songs ms"]) {
      var times: [Double] = []
      for _ in 0..<5 {
        let watch = Stopwatch()
        let fetched = try await stack.viewContext.fetch(query, with: Band.songs)
        times.append(watch.milliseconds)
        try check(fetched.count == roots, "the artists that Strata fetched")
        for (ours, theirs) in zip(fetched, expected) {
          try check(ours.0 == theirs.0 && ours.1 == theirs.1, "the songs of \(ours.0.name)")
        }
      }
      return [times.percentile(0.5)]
    } raw: {
      var times: [Double] = []
      for _ in 0..<5 {
        let watch = Stopwatch()
        let fetched = try RelatedStore.fetch(raw, select)
        times.append(watch.milliseconds)
        try check(fetched.count == roots, "the artists that SQLite fetched")
      }
      return [times.percentile(0.5)]
    }
    await stack.close()
    return figures
  }
}

/// The store of W10, and its fetch by hand.
@MainActor
enum RelatedStore {
  static func make(_ bench: Bench, artists: Int, songs: Int) async throws -> URL {
    let url = bench.newFile("sqlite")
    try await Stack.open(Band.self, BandSong.self, at: url).close()
    let raw = try RawConnection(url.path)
    let artist = try raw.prepare("INSERT INTO bands (id, name) VALUES (?, ?)")
    let song = try raw.prepare(SongSQL.insert)
    try raw.transaction {
      for number in 1...artists {
        artist.bind(1, number)
        artist.bind(2, "Artist Number \(number)")
        try artist.run()
      }
      for number in 1...songs {
        song.bind(Song(number: number))
        try song.run()
      }
    }
    try raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return url
  }

  /// Returns the artists of a statement with their songs.
  ///
  /// It finds the songs by a list of keys, and their artists by a dictionary.
  static func fetch(
    _ raw: RawConnection, _ select: RawStatement
  ) throws -> [(Band, [BandSong])] {
    try raw.execute("BEGIN")
    var artists: [(Band, [BandSong])] = []
    var places: [Int: Int] = [:]
    var list = ""
    while try select.step() {
      let artist = Band(id: select.integer(0), name: select.text(1))
      places[artist.id] = artists.count
      artists.append((artist, []))
      list += list.isEmpty ? "\(artist.id)" : ",\(artist.id)"
    }
    let songs = try raw.prepare("\(SongSQL.select) WHERE artistID IN (\(list))")
    while try songs.step() {
      let song = songs.bandSong
      if let place = song.artistID.flatMap({ places[$0] }) { artists[place].1.append(song) }
    }
    try raw.execute("COMMIT")
    return artists
  }
}
