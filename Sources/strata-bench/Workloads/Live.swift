import Foundation
import Strata

extension Workload {
  /// A live query after a change of one of its rows, against a new fetch of all rows.
  static let live = Workload(
    name: "W7", summary: "live query sorted by title: a one-row commit until its value is on main"
  ) { bench in
    let byTitle = Song.sorted(by: \.title)
    let select = SongSQL.selectByTitle
    let all = LiveCase(name: "100k rows", songs: 100_000, query: byTitle, select: select)
    let small = LiveCase(name: "1k rows", songs: 1_000, query: byTitle, select: select)
    let first = LiveCase(
      name: "first 1k of 100k", songs: 100_000, query: byTitle.limit(1_000),
      select: "\(select) LIMIT 1000")
    return try await all.figures(bench) + small.figures(bench) + first.figures(bench)
      + memory(bench)
  }

  /// Compares the bytes that a row takes in a live query and in an array of structs.
  @MainActor
  private static func memory(_ bench: Bench) async throws -> [Figure] {
    if Memory.allocated == nil { return [] }
    let count = 100_000
    func allocated() throws -> Double {
      guard let bytes = Memory.allocated else { throw BenchError("the allocator does not tell") }
      return Double(bytes)
    }
    return try await bench.compare(["memory, bytes a row"]) {
      try await bench.withStack(songs: count) { stack in
        // This fetch fills SQLite's page cache, which does not belong to the live query.
        _ = try await stack.viewContext.fetch(Song.all)
        let before = try allocated()
        let live = stack.viewContext.live(Song.sorted(by: \.title))
        try await live.waitUntilLoaded()
        let after = try allocated()
        try check(live.elements.count == count, "\(live.elements.count) elements")
        return [(after - before) / Double(count)]
      }
    } raw: {
      try await bench.withRaw(songs: count) { raw in
        let select = try raw.prepare(SongSQL.selectByTitle)
        _ = try select.songs()
        let before = try allocated()
        let songs = try select.songs()
        let after = try allocated()
        try check(songs.count == count, "\(songs.count) songs")
        return [(after - before) / Double(count)]
      }
    }
  }
}

/// A live query, and the statement that fetches the same rows.
struct LiveCase {
  let name: String
  let songs: Int
  let query: Query<Song>
  let select: String

  @MainActor
  func figures(_ bench: Bench) async throws -> [Figure] {
    let metrics = ["commit → value p50 µs", "commit → value p99 µs", "save call → value p50 µs"]
    return try await bench.withStack(songs: songs) { stack in
      try await bench.withRaw(songs: songs) { raw in
        let live = stack.viewContext.live(query)
        try await live.waitUntilLoaded()
        let watch = CommitWatch(stack)
        var repetition = 0
        // The value is in the changes, so that nothing has to be fetched.
        var commit = 0.0
        let floors: [Floor?] = [
          { changes, _ in changes.message }, { changes, _ in changes.messages.percentile(0.99) },
          { changes, _ in commit + changes.message },
        ]
        return try await bench.compare(metrics.map { "\(name), \($0)" }, floors: floors) {
          repetition += 1
          return try await change(live, stack, watch, bpm: Double(1000 * repetition))
        } raw: {
          let (samples, time) = try refetch(raw, try raw.prepare(select))
          commit = time
          return samples
        }
      }
    }
  }

  /// Saves one-row changes and waits for each on the main actor.
  @MainActor
  private func change(
    _ live: LiveQuery<Song>, _ stack: Stack, _ watch: CommitWatch, bpm: Double
  ) async throws -> [Double] {
    var updates = live.updates.makeAsyncIterator()
    var fromCommit: [Double] = []
    var fromCall: [Double] = []
    for change in 0..<300 {
      let position = Int(UInt64(change).mixed % UInt64(live.elements.count))
      let song = live.elements[position]
      let value = bpm + Double(change)
      let saving = stack.savingDetached(song, bpm: value)
      let update = await updates.next()
      let seen = update?.elements[position]
      let now = ContinuousClock.now
      fromCommit.append(watch.microseconds(to: now))
      fromCall.append(try await saving.value.duration(to: now) / .microseconds(1))
      try check(
        seen?.id == song.id && seen?.bpm == value && update?.edits.map(\.offset) == [position],
        "the update of song \(song.id)")
    }
    return [
      fromCommit.percentile(0.5), fromCommit.percentile(0.99), fromCall.percentile(0.5),
    ]
  }

  /// Commits one-row changes and fetches everything again after each.
  ///
  /// - Returns: the samples of the metrics, and the time of a commit alone in microseconds.
  @MainActor
  private func refetch(
    _ raw: RawConnection, _ select: RawStatement
  ) throws -> (samples: [Double], commit: Double) {
    let update = try raw.prepare("UPDATE songs SET bpm = ? WHERE id = ?")
    var shown = try select.songs()
    var fromCommit: [Double] = []
    var fromCall: [Double] = []
    var commits: [Double] = []
    for change in 0..<(shown.count > 1_000 ? 3 : 50) {
      let position = Int(UInt64(change).mixed % UInt64(shown.count))
      let value = shown[position].bpm + 1
      update.bind(1, value)
      update.bind(2, shown[position].id)
      let call = Stopwatch()
      try raw.transaction { try update.run() }
      commits.append(call.microseconds)
      let commit = Stopwatch()
      shown = try select.songs()
      fromCommit.append(commit.microseconds)
      fromCall.append(call.microseconds)
      try check(shown[position].bpm == value, "song \(shown[position].id)")
    }
    let samples = [
      fromCommit.percentile(0.5), fromCommit.percentile(0.99), fromCall.percentile(0.5),
    ]
    return (samples, commits.percentile(0.5))
  }
}
