import Foundation
import Strata

extension Workload {
  /// The cost that a live query adds to changes of rows that it does not show.
  static let unconcerned = Workload(
    name: "W7b", summary: "live query of 1,000 rows by title: changes outside the result"
  ) { bench in
    let songs = 100_000
    let first = 1_000
    let changes = 2_000
    return try await bench.compare(["CPU µs a change, beyond the commit"]) {
      let alone = try await bench.withStack(songs: songs) { stack in
        try await change(stack, await stack.outside(first), changes)
      }
      let watched = try await bench.withStack(songs: songs) { stack in
        let live = stack.viewContext.live(Song.sorted(by: \.title).limit(first))
        try await live.waitUntilLoaded()
        let outside = try await stack.outside(first)
        let updates = live.updates
        let woken = Task { @MainActor in
          var updates = updates.makeAsyncIterator()
          return await updates.next()
        }
        let cost = try await change(stack, outside, changes)
        // The first update of the query is the first change of a shown row.
        let shown = live.elements[7]
        stack.viewContext.update(shown) { $0.bpm += 1 }
        try await stack.viewContext.save()
        try check(await woken.value?.edits.map(\.offset) == [7], "an update without a cause")
        return cost
      }
      return [watched - alone]
    } raw: {
      try await bench.withRaw(songs: songs) { raw in
        let select = try raw.prepare("\(SongSQL.selectByTitle) LIMIT \(first)")
        let count = 100
        let time = CPUTime()
        for _ in 0..<count { try check(try select.songs().count == first, "the first songs") }
        return [time.microseconds / Double(count)]
      }
    }
  }

  /// Returns the processor time of a one-row commit in microseconds, until the view context shows
  /// it.
  @concurrent
  private static func change(
    _ stack: Stack, _ songs: [Song], _ changes: Int
  ) async throws -> Double {
    let time = CPUTime()
    var commit: Int64 = 0
    for number in 0..<changes {
      let scratch = stack.makeScratch()
      scratch.update(songs[number % songs.count]) { $0.bpm = Double(1_000 + number) }
      commit = try await scratch.save()
      try await stack.viewContext.waitUntilMerged(commit)
    }
    return time.microseconds / Double(changes)
  }
}

extension Stack {
  /// Returns songs after the first songs by title, each of them once.
  fileprivate func outside(_ first: Int) async throws -> [Song] {
    try await fetch(Song.sorted(by: \.title).offset(first).limit(5_000))
  }
}

/// A watch of the processor time of all threads of the process, which starts when it is made.
struct CPUTime {
  private let start = now

  var microseconds: Double { Self.now - start }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
