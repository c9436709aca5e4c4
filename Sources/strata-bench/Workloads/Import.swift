import Foundation
import Strata

extension Workload {
  /// The import of a JSON file of new songs, and of the same feed a little later.
  static let importing = Workload(
    name: "W9",
    summary: "import a file of 100,000 JSON objects to upserted rows; again with 1 % changed"
  ) { bench in
    let songs = Song.generated(100_000)
    let file = bench.newFile("json")
    try songs.json.write(to: file, atomically: false, encoding: .utf8)
    var figures = try await importing(file, songs, "against JSONDecoder, ms", bench) {
      try upsert(SongObject.songs(in: Data(contentsOf: $0)), $1)
    }
    figures += try await importing(
      file, songs, "against a byte scanner, ms", bench, raw: upsertOverlapped)
    figures += try await importing(
      file, songs, "no index, against a byte scanner, ms", bench, NoIndex.self,
      raw: upsertOverlapped)
    figures += try await importing(
      file, songs, "two indexes, against a byte scanner, ms", bench, TwoIndexes.self,
      raw: upsertOverlapped)
    let changed = songs.map { song in
      var song = song
      if song.id % 100 == 0 { song.bpm += 1 }
      return song
    }
    let refresh = bench.newFile("json")
    try changed.json.write(to: refresh, atomically: false, encoding: .utf8)
    figures += try await importing(
      refresh, changed, over: songs.count, after: file, "1 % changed, against a byte scanner, ms",
      bench, raw: upsertOverlapped)
    return try await figures
      + importing(
        refresh, changed, over: songs.count, "1 % changed, rows made here, ms", bench,
        raw: upsertOverlapped)
  }

  /// Imports a file into a store that has some songs.
  ///
  /// - Parameter earlier: a file that was imported before; nil if the store's songs are the app's own,
  ///   which the first import notes.
  @MainActor
  private static func importing<Indexes: SongIndexes>(
    _ file: URL, _ songs: [Song], over stored: Int = 0, after earlier: URL? = nil,
    _ metric: String, _ bench: Bench, _ indexes: Indexes.Type = TitleIndex.self,
    raw: (URL, RawConnection) async throws -> Void
  ) async throws -> [Figure] {
    let entity = ImportedSong<Indexes>.self
    let verify = { (url: URL) in try SongTable(url).verify(songs) }
    return try await bench.compare([metric]) {
      try await bench.withStack(entity, songs: stored, verify: verify) { stack in
        if let earlier { try await entity.importSongs(earlier, into: stack) }
        let watch = Stopwatch()
        try await entity.importSongs(file, into: stack)
        return [watch.milliseconds]
      }
    } raw: {
      try await bench.withRaw(entity, songs: stored, verify: verify) { connection in
        let watch = Stopwatch()
        try await raw(file, connection)
        return [watch.milliseconds]
      }
    }
  }

  @MainActor
  private static func upsert(_ songs: [Song], _ raw: RawConnection) throws {
    let upsert = try raw.prepare(SongSQL.upsert)
    try raw.transaction {
      for song in songs {
        upsert.bind(song)
        try upsert.run()
      }
    }
  }

  /// Scans in one thread and writes in another, in one transaction.
  @MainActor
  private static func upsertOverlapped(_ file: URL, _ raw: RawConnection) async throws {
    let (portions, next) = AsyncThrowingStream<[Song], any Error>.makeStream()
    let scan = Task.detached {
      do {
        try SongScanner.scan(Data(contentsOf: file), portion: 1_000) { next.yield($0) }
        next.finish()
      } catch { next.finish(throwing: error) }
    }
    let upsert = try raw.prepare(SongSQL.upsert)
    try raw.execute("BEGIN IMMEDIATE")
    for try await portion in portions {
      for song in portion {
        upsert.bind(song)
        try upsert.run()
      }
    }
    try raw.execute("COMMIT")
    await scan.value
  }
}

extension [Song] {
  /// The songs as a JSON array, with an object on each line.
  var json: String { "[\n" + map(\.json).joined(separator: ",\n") + "\n]\n" }
}

extension Song {
  /// The song as a JSON object.
  var json: String {
    func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }
    return """
      {"id":\(id),"title":\(text(title)),"subtitle":\(text(subtitle)),\
      "artistID":\(number(artistID)),"ccli":\(number(ccli)),"bpm":\(bpm),\
      "key":\(text(key)),"themes":\(text(themes)),\
      "createdAt":\(createdAt.timeIntervalSince1970),\
      "updatedAt":\(updatedAt.timeIntervalSince1970),"hidden":\(hidden)}
      """
  }
}

/// A song as `JSONDecoder` reads it.
struct SongObject: Decodable {
  let id: Int
  let title: String
  let subtitle: String?
  let artistID: Int?
  let ccli: Int?
  let bpm: Double
  let key: String
  let themes: String
  let createdAt: Date
  let updatedAt: Date
  let hidden: Bool

  static func songs(in data: Data) throws -> [Song] {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return try decoder.decode([SongObject].self, from: data).map(\.song)
  }

  private var song: Song {
    Song(
      id: id, title: title, subtitle: subtitle, artistID: artistID, ccli: ccli, bpm: bpm, key: key,
      themes: themes, createdAt: createdAt, updatedAt: updatedAt, hidden: hidden)
  }
}
