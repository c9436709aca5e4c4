import Foundation
import Strata

extension Workload {
  /// A JSON file of songs that nobody has, upserted.
  static let importing = Workload(
    name: "W9", summary: "import a file of 100,000 JSON objects to upserted rows"
  ) { bench in
    let songs = Song.generated(100_000)
    let file = bench.newFile("json")
    try songs.json.write(to: file, atomically: false, encoding: .utf8)
    let decoder = try await importing(file, songs, "against JSONDecoder, ms", bench) { file in
      try SongObject.songs(in: Data(contentsOf: file))
    }
    let scanner = try await importing(file, songs, "against a byte scanner, ms", bench) { file in
      try SongScanner.songs(in: Data(contentsOf: file))
    }
    return decoder + scanner
  }

  @MainActor
  private static func importing(
    _ file: URL, _ songs: [Song], _ metric: String, _ bench: Bench, parse: (URL) throws -> [Song]
  ) async throws -> [Figure] {
    try await bench.compare([metric]) {
      try await bench.withStack(songs: 0, verify: { try SongTable($0).verify(songs) }) { stack in
        let watch = Stopwatch()
        try await importSongs(file, into: stack)
        return [watch.milliseconds]
      }
    } raw: {
      try await bench.withRaw(songs: 0, verify: { try SongTable($0).verify(songs) }) { raw in
        let watch = Stopwatch()
        let parsed = try parse(file)
        let upsert = try raw.prepare(SongSQL.upsert)
        try raw.transaction {
          for song in parsed {
            upsert.bind(song)
            try upsert.run()
          }
        }
        return [watch.milliseconds]
      }
    }
  }
}

extension [Song] {
  /// The songs as a JSON array, an object a line.
  var json: String {
    func text(_ value: String?) -> String { value.map { "\"\($0)\"" } ?? "null" }
    func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }
    let objects = map { song in
      """
      {"id":\(song.id),"title":\(text(song.title)),"subtitle":\(text(song.subtitle)),\
      "artistID":\(number(song.artistID)),"ccli":\(number(song.ccli)),"bpm":\(song.bpm),\
      "key":\(text(song.key)),"themes":\(text(song.themes)),\
      "createdAt":\(song.createdAt.timeIntervalSince1970),\
      "updatedAt":\(song.updatedAt.timeIntervalSince1970),"hidden":\(song.hidden)}
      """
    }
    return "[\n" + objects.joined(separator: ",\n") + "\n]\n"
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
