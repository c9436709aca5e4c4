import Foundation
import Strata

extension Workload {
  /// A commit beside few and beside many live queries, one of which it concerns.
  static let manyQueries = Workload(
    name: "W11", summary: "growth: live songs of one title beside 10 to 10,000 such queries",
    isLong: true
  ) { bench in
    var figures: [Figure] = []
    for queries in [10, 100, 1_000, 10_000] {
      figures += try await bench.measure([
        "\(queries) queries: save call → value p50 µs", "\(queries) queries: p99 µs",
        "\(queries) queries: bytes a query",
      ]) {
        try await bench.withStack(songs: 100_000) { stack in
          let before = Memory.allocated ?? 0
          var live: [LiveQuery<Song>] = []
          for number in 0..<queries {
            // The first title has a song, the others have none.
            let title = number == 0 ? Song(number: 7).title : "no song \(number)"
            live.append(stack.viewContext.live(Song.where { $0.title == title }))
          }
          for query in live { try await query.waitUntilLoaded() }
          var updates = live[0].updates.makeAsyncIterator()
          var times: [Double] = []
          for change in 0..<300 {
            let value = Double(1_000 + change)
            let song = live[0].elements[0]
            let saving = stack.savingDetached(song, bpm: value)
            while await updates.next()?.elements.first?.bpm != value {}
            let now = ContinuousClock.now
            times.append(try await saving.value.duration(to: now) / .microseconds(1))
          }
          // The tasks that loaded the queries have ended by now.
          let bytes = Double((Memory.allocated ?? 0) - before) / Double(queries)
          return [times.percentile(0.5), times.percentile(0.99), bytes]
        }
      }
    }
    return figures
  }
}
