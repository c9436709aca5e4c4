import Foundation
import Strata

extension Workload {
  /// The growth of the cost of a live query's change and of a look-up with the size of the table.
  static let growth = Workload(
    name: "G", summary: "growth: live queries of 1,000 to 1,000,000 rows, look-ups in 10,000,000",
    isLong: true
  ) { bench in
    var figures: [Figure] = []
    for rows in [1_000, 10_000, 100_000, 1_000_000] {
      figures += try await LiveCase(
        name: "\(rows) rows", songs: rows, query: Song.sorted(by: \.title),
        select: SongSQL.selectByTitle
      ).figures(bench)
    }
    for rows in [10_000, 100_000, 1_000_000, 10_000_000] {
      figures += try await lookUps(rows, bench)
    }
    return figures
  }

  @MainActor
  private static func lookUps(_ rows: Int, _ bench: Bench) async throws -> [Figure] {
    let keys = (0..<10_000).map { Int(UInt64($0 + 999).mixed % UInt64(rows)) + 1 }
    return try await bench.withStack(songs: rows) { stack in
      try await bench.withRaw(songs: rows) { raw in
        let select = try raw.prepare(SongSQL.selectByKey)
        return try await bench.compare(["\(rows) rows, µs a look-up in one call"]) {
          let watch = Stopwatch()
          let found = try await stack.viewContext.find(Song.self, keys)
          let time = watch.microseconds
          try check(found.map(\.id) == keys, "the keys that Strata found")
          return [time / Double(keys.count)]
        } raw: {
          let watch = Stopwatch()
          try raw.execute("BEGIN")
          for key in keys {
            select.bind(1, key)
            try check(try select.step() && select.song.id == key, "song \(key)")
            select.reset()
          }
          try raw.execute("COMMIT")
          return [watch.microseconds / Double(keys.count)]
        }
      }
    }
  }
}
