import Foundation
import Strata

extension Workload {
  /// The fetch of a whole table as structs.
  static let fetch = Workload(name: "W3", summary: "fetch 100,000 songs as structs") { bench in
    let songs = Song.generated(100_000)
    return try await bench.withStack(songs: songs.count) { stack in
      try await bench.withRaw(songs: songs.count) { raw in
        let select = try raw.prepare(SongSQL.select)
        // Each sample is the median of several fetches, because the allocator takes a few to
        // settle.
        return try await bench.compare(["fetch ms"]) {
          var times: [Double] = []
          for _ in 0..<5 {
            let watch = Stopwatch()
            let fetched = try await stack.viewContext.fetch(Song.all)
            times.append(watch.milliseconds)
            try check(fetched == songs, "the songs that Strata fetched")
          }
          return [times.percentile(0.5)]
        } raw: {
          var times: [Double] = []
          for _ in 0..<5 {
            let watch = Stopwatch()
            let fetched = try select.songs()
            times.append(watch.milliseconds)
            try check(fetched == songs, "the songs that SQLite fetched")
          }
          return [times.percentile(0.5)]
        }
      }
    }
  }
}
