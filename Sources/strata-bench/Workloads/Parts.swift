import Foundation
import Strata

extension Workload {
  /// Parts of a table: its keys, two attributes, batches, and sums by group.
  static let parts = Workload(
    name: "W3b",
    summary: "100,000 songs: keys, two attributes, batches of 500, an average for each of 10 groups"
  ) { bench in
    let count = 100_000
    return try await bench.withStack(songs: count) { stack in
      try await bench.withRaw(songs: count) { raw in
        let keys = try raw.prepare("SELECT id FROM songs ORDER BY id")
        let pairs = try raw.prepare("SELECT title, bpm FROM songs ORDER BY id")
        let whole = try raw.prepare("\(SongSQL.select) ORDER BY id")
        let groups = try raw.prepare(
          "SELECT key, count(*), avg(bpm) FROM songs GROUP BY key ORDER BY key")
        let metrics = ["keys ms", "two attributes ms", "batches of 500 ms", "groups ms"]
        return try await bench.compare(metrics) {
          let view = stack.viewContext
          let keyWatch = Stopwatch()
          let ids = try await view.fetchKeys(Song.all)
          let keyTime = keyWatch.milliseconds
          try check(ids == Array(1...count), "the keys that Strata fetched")
          let pairWatch = Stopwatch()
          let pairs = try await view.fetch(Song.all, \.title, \.bpm)
          let pairTime = pairWatch.milliseconds
          try check(pairs.count == count && pairs[7].1 > 0, "the attributes that Strata fetched")
          let batchWatch = Stopwatch()
          var songs = 0
          for try await batch in view.batches(of: Song.all, size: 500) { songs += batch.count }
          let batchTime = batchWatch.milliseconds
          try check(songs == count, "\(songs) songs in Strata's batches")
          let groupWatch = Stopwatch()
          let groups = try await view.fetch(
            .count, .average(\.bpm), of: Song.all.grouped(by: \.key))
          let groupTime = groupWatch.milliseconds
          try check(groups.map(\.1).reduce(0, +) == count, "the groups that Strata made")
          return [keyTime, pairTime, batchTime, groupTime]
        } raw: {
          let keyWatch = Stopwatch()
          var ids: [Int] = []
          while try keys.step() { ids.append(keys.integer(0)) }
          let keyTime = keyWatch.milliseconds
          try check(ids == Array(1...count), "the keys that SQLite fetched")
          let pairWatch = Stopwatch()
          var found: [(String, Double)] = []
          while try pairs.step() { found.append((pairs.text(0), pairs.real(1))) }
          let pairTime = pairWatch.milliseconds
          try check(found.count == count, "the attributes that SQLite fetched")
          let batchWatch = Stopwatch()
          var songs = 0
          var batch: [Song] = []
          while try whole.step() {
            batch.append(whole.song)
            if batch.count == 500 {
              songs += batch.count
              batch.removeAll(keepingCapacity: true)
            }
          }
          songs += batch.count
          let batchTime = batchWatch.milliseconds
          try check(songs == count, "\(songs) songs in SQLite's batches")
          let groupWatch = Stopwatch()
          var rows: [(String, Int, Double)] = []
          while try groups.step() {
            rows.append((groups.text(0), groups.integer(1), groups.real(2)))
          }
          let groupTime = groupWatch.milliseconds
          try check(rows.map(\.1).reduce(0, +) == count, "the groups that SQLite made")
          return [keyTime, pairTime, batchTime, groupTime]
        }
      }
    }
  }
}
