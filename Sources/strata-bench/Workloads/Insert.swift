import Foundation
import Strata

extension Workload {
  /// The insertion of new songs in one transaction.
  static let insert = Workload(
    name: "W1", summary: "insert 100,000 songs in one transaction"
  ) { bench in
    let songs = Song.generated(100_000)
    return try await bench.compare(["insert ms"]) {
      try await bench.withStack(songs: 0, verify: { try SongTable($0).verify(songs) }) { stack in
        let watch = Stopwatch()
        let scratch = stack.makeScratch()
        for song in songs { scratch.insert(song) }
        let commit = try await scratch.save()
        let time = watch.milliseconds
        try await stack.viewContext.waitUntilMerged(commit)
        return [time]
      }
    } raw: {
      try await bench.withRaw(songs: 0, verify: { try SongTable($0).verify(songs) }) { raw in
        let watch = Stopwatch()
        let insert = try raw.prepare(SongSQL.insert)
        try raw.transaction {
          for song in songs {
            insert.bind(song)
            try insert.run()
          }
        }
        return [watch.milliseconds]
      }
    }
  }
}
