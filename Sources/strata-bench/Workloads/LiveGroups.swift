import Foundation
import Strata

extension Workload {
  /// A commit that takes the greatest value of a group away or brings it back, beside few and beside
  /// many groups.
  static let liveGroups = Workload(
    name: "W12", summary: "live values of 1 and of 1,000 groups among 100,000 rows",
    isLong: true
  ) { bench in
    var figures: [Figure] = []
    for groups in [1, 1_000] {
      figures += try await bench.measure([
        "\(groups) groups: save call → value p50 µs", "\(groups) groups: p99 µs",
      ]) {
        try await bench.withStack(songs: 1) { stack in
          try await stack.withScratch { scratch in
            for number in 1...100_000 {
              var song = Song(number: number)
              song.artistID = number % groups
              scratch.upsert(song)
            }
          }
          let artists = Song.all.grouped(by: \.artistID).having(.count) { $0 > 1 }
          let view = stack.viewContext
          let least = view.live(.min(\.bpm), of: artists)
          let distinct = view.live(.distinctCount(\.bpm), of: artists)
          let greatest = view.live(.max(\.bpm), of: artists)
          for value in [least, greatest] { try await value.waitUntilLoaded() }
          try await distinct.waitUntilLoaded()
          var song = try await view.fetch(Song.where { $0.id == 7 })[0]
          let artist = song.artistID
          let others = Song.where { $0.artistID == artist && $0.id != 7 }
          let second = try await view.fetch(.max(\.bpm), of: others)
          var updates = greatest.updates.makeAsyncIterator()
          var times: [Double] = []
          for change in 0..<400 {
            let isGreatest = change.isMultiple(of: 2)
            let saving = stack.savingDetached(song, bpm: isGreatest ? 1_000 : 1)
            song.bpm = isGreatest ? 1_000 : 1
            let wanted = isGreatest ? 1_000 : second
            while let value = await updates.next(), value[artist] ?? nil != wanted {}
            let now = ContinuousClock.now
            times.append(try await saving.value.duration(to: now) / .microseconds(1))
          }
          try check(least.value?[artist] == 1, "the least value")
          try check(distinct.value?.count == groups, "the distinct values")
          return [times.percentile(0.5), times.percentile(0.99)]
        }
      }
    }
    return figures
  }
}
