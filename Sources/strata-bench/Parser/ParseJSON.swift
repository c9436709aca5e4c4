import Foundation

extension Workload {
  /// The JSON parser alone, without a store.
  static let parsing = Workload(
    name: "J1", summary: "parse 200,000 songs (75.7 MB of JSON), beside JSONDecoder, a byte scan"
  ) { bench in
    let (songs, layout) = (200_000, SongFeed.Layout.array)
    let file = bench.newFile("json")
    let size = try SongFeed.write(songs, as: layout, to: file)
    defer { bench.remove(file) }
    return try await bench.parsing(.decoder, file, size, songs, layout)
      + bench.parsing(.bytes, file, size, songs, layout)
  }

  /// A file that is too large for memory. Both sides read it through a window.
  static let streaming = Workload(
    name: "J2", summary: "parse 2 GB of NDJSON (5,300,000 songs), beside a byte scan", isLong: true
  ) { bench in
    let (songs, layout) = (5_300_000, SongFeed.Layout.lines)
    let file = bench.newFile("ndjson")
    let size = try SongFeed.write(songs, as: layout, to: file)
    defer { bench.remove(file) }
    return try await bench.parsing(.bytes, file, size, songs, layout)
  }
}

extension Bench {
  fileprivate func parsing(
    _ other: ParserSide, _ file: URL, _ size: Int, _ songs: Int, _ layout: SongFeed.Layout
  ) async throws -> [Figure] {
    func sample(_ side: ParserSide) throws -> [Double] {
      let outcome = try side.run(file, as: layout)
      // An array has a line for each bracket, too.
      let lines = side == .bytes && layout == .array ? songs + 2 : songs
      try check(outcome.songs == lines, "\(outcome.songs) songs by the \(side.rawValue)")
      return [Double(size) / outcome.milliseconds / 1000, Double(outcome.peakBytes) / 1_000_000]
    }
    return try await compare(
      ["MB/s, raw: \(other.rawValue)", "peak resident MB, raw: \(other.rawValue)"]
    ) {
      try sample(.scanner)
    } raw: {
      try sample(other)
    }
  }
}
