import Foundation
import Strata

extension Workload {
  /// Ten equal live queries over one maintained result.
  static let equalQueries = Workload(
    name: "W7c", summary: "ten equal live queries of 1,000 rows: a one-row commit until all have it"
  ) { bench in
    let songs = 1_000
    let queries = 10
    return try await bench.compare(["save call → all ten p50 µs", "save call → all ten p99 µs"]) {
      try await bench.withStack(songs: songs) { stack in
        var live: [LiveQuery<Song>] = []
        for _ in 0..<queries { live.append(stack.viewContext.live(Song.sorted(by: \.title))) }
        for query in live { try await query.waitUntilLoaded() }
        var updates = live.map { $0.updates.makeAsyncIterator() }
        var times: [Double] = []
        for change in 0..<300 {
          let position = Int(UInt64(change).mixed % UInt64(songs))
          let song = live[0].elements[position]
          let value = Double(1_000 + change)
          let saving = stack.savingDetached(song, bpm: value)
          for index in updates.indices {
            let update = await updates[index].next()
            try check(update?.elements[position].bpm == value, "query \(index)")
          }
          let now = ContinuousClock.now
          times.append(try await saving.value.duration(to: now) / .microseconds(1))
        }
        return [times.percentile(0.5), times.percentile(0.99)]
      }
    } raw: {
      try await bench.withRaw(songs: songs) { raw in
        let update = try raw.prepare("UPDATE songs SET bpm = ? WHERE id = ?")
        let select = try raw.prepare(SongSQL.selectByTitle)
        var times: [Double] = []
        for change in 0..<50 {
          let watch = Stopwatch()
          update.bind(1, Double(change))
          update.bind(2, change + 1)
          try raw.transaction { try update.run() }
          for _ in 0..<queries { try check(try select.songs().count == songs, "the songs") }
          times.append(watch.microseconds)
        }
        return [times.percentile(0.5), times.percentile(0.99)]
      }
    }
  }
}
