import Foundation
import Strata

extension Workload {
  /// Commits of one changed row each.
  static let commit = Workload(
    name: "W6", summary: "10,000 one-row commits: awaited in a task, on the main actor, and queued"
  ) { bench in
    let stored = Song.generated(100_000)
    var repetition = 0
    return try await bench.withStack(songs: stored.count) { stack in
      try await bench.withRaw(songs: stored.count) { raw in
        let metrics = [
          "queued, µs a commit", "in a task p50 µs", "in a task p99 µs", "on the main actor p50 µs",
          "on the main actor p99 µs",
        ]
        let floors: [Floor?] = [
          nil, nil, nil, { $1[3] + $0.roundTrip }, { $1[4] + $0.roundTrips.percentile(0.99) },
        ]
        return try await bench.compare(metrics, floors: floors) {
          repetition += 1
          // Each part changes rows of its own, so that edits of two parts do not meet.
          let edits = Edit.generated(stored, repetition: repetition)
          let current = try await stack.fetch(Song.all)
          let queued = try await queued(stack, current, edits[0])
          let inTask = try await inTask(stack, edits[1])
          let onMain = try await onMain(stack, edits[2])
          for edits in edits { try await verify(stack, edits) }
          return [
            queued, inTask.percentile(0.5), inTask.percentile(0.99), onMain.percentile(0.5),
            onMain.percentile(0.99),
          ]
        } raw: {
          let edits = Edit.generated(stored, repetition: repetition)
          let watch = Stopwatch()
          let times = try commits(raw, edits[1])
          let each = watch.microseconds / Double(edits[1].count)
          let (p50, p99) = (times.percentile(0.5), times.percentile(0.99))
          return [each, p50, p99, p50, p99]
        }
      }
    }
  }

  /// A stored song and its new value.
  private struct Edit: Sendable {
    let song: Song
    let bpm: Double

    /// Returns three lists of edits of distinct songs, in no order. Every repetition edits the same
    /// songs.
    static func generated(_ songs: [Song], repetition: Int) -> [[Edit]] {
      // Odd steps through a power of two visit every number once.
      let order = (0..<1 << 17).map { ($0 &* 77_773 + 999) % (1 << 17) }.filter { $0 < songs.count }
      return (0..<3).map { part in
        order[part * 10_000..<(part + 1) * 10_000].map { position in
          var song = songs[position]
          if repetition > 1 { song.bpm = Double(1000 * (repetition - 1)) }
          return Edit(song: song, bpm: Double(1000 * repetition))
        }
      }
    }
  }

  /// Returns the time of a transaction in microseconds, without changes of threads.
  ///
  /// A save of all songs occupies the writer until every one-row save is in its queue.
  @concurrent
  private static func queued(
    _ stack: Stack, _ stored: [Song], _ edits: [Edit]
  ) async throws -> Double {
    let scratch = stack.makeScratch()
    for song in stored { scratch.upsert(song) }
    let blocker = Task {
      try await scratch.save()
      return ContinuousClock.now
    }
    return try await withThrowingTaskGroup { group in
      for edit in edits {
        group.addTask {
          let scratch = stack.makeScratch()
          scratch.update(edit.song) { $0.bpm = edit.bpm }
          try await scratch.save()
        }
      }
      try await group.waitForAll()
      let time = try await blocker.value.duration(to: .now)
      return time / .microseconds(1) / Double(edits.count)
    }
  }

  @concurrent
  private static func inTask(_ stack: Stack, _ edits: [Edit]) async throws -> [Double] {
    let scratch = stack.makeScratch()
    var times: [Double] = []
    for edit in edits {
      scratch.update(edit.song) { $0.bpm = edit.bpm }
      let watch = Stopwatch()
      try await scratch.save()
      times.append(watch.microseconds)
    }
    return times
  }

  /// Returns the times of saves until the view context shows the commit.
  @MainActor
  private static func onMain(_ stack: Stack, _ edits: [Edit]) async throws -> [Double] {
    var times: [Double] = []
    for edit in edits {
      stack.viewContext.update(edit.song) { $0.bpm = edit.bpm }
      let watch = Stopwatch()
      try await stack.viewContext.save()
      times.append(watch.microseconds)
    }
    return times
  }

  @MainActor
  private static func verify(_ stack: Stack, _ edits: [Edit]) async throws {
    let found = try await stack.viewContext.find(Song.self, edits.map(\.song.id))
    try check(found.map(\.bpm) == edits.map(\.bpm), "the songs that were saved")
  }

  private static func commits(_ raw: RawConnection, _ edits: [Edit]) throws -> [Double] {
    let begin = try raw.prepare("BEGIN IMMEDIATE")
    let update = try raw.prepare(SongSQL.update)
    let commit = try raw.prepare("COMMIT")
    var times: [Double] = []
    for edit in edits {
      var song = edit.song
      song.bpm = edit.bpm
      let watch = Stopwatch()
      try begin.run()
      update.bind(song)
      try update.run()
      try commit.run()
      times.append(watch.microseconds)
    }
    return times
  }
}
