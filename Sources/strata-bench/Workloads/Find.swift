import Foundation
import Strata

extension Workload {
  /// Songs by key: many in one call, and one call each.
  static let find = Workload(
    name: "W5", summary: "fetch by key: 100,000 random keys in one call, and 5,000 calls"
  ) { bench in
    let count = 100_000
    let keys = (0..<count).map { Int(UInt64($0 + 999).mixed % UInt64(count)) + 1 }
    let singles = keys.prefix(5_000)
    return try await bench.withStack(songs: count) { stack in
      try await bench.withRaw(songs: count) { raw in
        let select = try raw.prepare(SongSQL.selectByKey)
        func find(_ key: Int) throws -> Song? {
          select.bind(1, key)
          defer { select.reset() }
          return try select.step() ? select.song : nil
        }
        func findAll(_ keys: [Int]) throws -> [Song] {
          var songs: [Song] = []
          try raw.execute("BEGIN")
          for key in keys {
            if let song = try find(key) { songs.append(song) }
          }
          try raw.execute("COMMIT")
          return songs
        }
        let metrics = [
          "100,000 in one call ms", "one call each, view µs", "one call each, scratch µs",
        ]
        let floors: [Floor?] = [
          { $1[0] + $0.roundTrip / 1000 }, { $1[1] + $0.roundTrip }, nil,
        ]
        return try await bench.compare(metrics, floors: floors) {
          let batch = Stopwatch()
          let found = try await stack.viewContext.find(Song.self, keys)
          let batchTime = batch.milliseconds
          try check(found.map(\.id) == keys, "the keys that Strata found")
          try check(found[7] == Song(number: keys[7]), "a song that Strata found")
          let view = Stopwatch()
          for key in singles {
            try check(try await stack.viewContext.find(Song.self, key)?.id == key, "song \(key)")
          }
          let viewTime = view.microseconds
          let scratchTime = try await singlesInScratch(stack, singles)
          let count = Double(singles.count)
          return [batchTime, viewTime / count, scratchTime / count]
        } raw: {
          let batch = Stopwatch()
          let found = try findAll(keys)
          let batchTime = batch.milliseconds
          try check(found.map(\.id) == keys, "the keys that SQLite found")
          let single = Stopwatch()
          for key in singles { try check(try find(key)?.id == key, "song \(key)") }
          let singleTime = single.microseconds / Double(singles.count)
          return [batchTime, singleTime, singleTime]
        }
      }
    }
  }

  /// Returns the time of calls from a task outside of the main actor, in microseconds.
  @concurrent
  private static func singlesInScratch(
    _ stack: Stack, _ keys: ArraySlice<Int>
  ) async throws -> Double {
    let scratch = stack.makeScratch()
    // This read pins the snapshot.
    _ = try await scratch.find(Song.self, 1)
    let watch = Stopwatch()
    for key in keys {
      try check(try await scratch.find(Song.self, key)?.id == key, "song \(key)")
    }
    return watch.microseconds
  }
}
