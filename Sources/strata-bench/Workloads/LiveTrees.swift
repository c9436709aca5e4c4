import Foundation
import Strata

extension Workload {
  /// One related row changed, in a live tree and in a flat live query of the same rows.
  static let liveTrees = Workload(
    name: "W16", summary: "a live tree of artists with songs, after a commit of one song",
    isLong: true
  ) { bench in
    let many = TreeCase(artists: 10_000, songs: 100_000)
    let busy = TreeCase(artists: 2_000, songs: 200_000)
    return try await many.figures(bench) + busy.figures(bench)
  }
}

/// A live tree of artists, each with the three fastest of its songs and their number.
private struct TreeCase {
  let artists: Int
  let songs: Int

  @MainActor
  func figures(_ bench: Bench) async throws -> [Figure] {
    let name = "\(artists) artists, \(songs) songs"
    let metrics = [
      "load ms", "save call → update p50 µs", "p99 µs", "edit of the view p50 µs",
      "flat query: save call → update p50 µs", "flat query: edit of the view p50 µs",
    ]
    return try await bench.measure(metrics.map { "\(name), \($0)" }) {
      let url = try await RelatedStore.make(bench, artists: artists, songs: songs)
      defer { bench.remove(url) }
      let stack = try await Stack.open(Band.self, BandSong.self, at: url)
      let tree = try await treeTimes(stack)
      let flat = try await flatTimes(stack)
      await stack.close()
      return tree + flat
    }
  }

  @MainActor
  private func treeTimes(_ stack: Stack) async throws -> [Double] {
    let fastest = Band.songs.narrowed { $0.sorted(by: \.bpm, order: .reverse).limit(3) }
    let watch = Stopwatch()
    let tree = stack.viewContext.live(
      Band.sorted(by: \.name), with: fastest, .count(of: Band.songs))
    try await tree.waitUntilLoaded()
    let load = watch.milliseconds
    try check(tree.elements.count == artists, "\(tree.elements.count) artists")
    var updates = tree.updates.makeAsyncIterator()
    let times = try await self.times(stack, above: 1_000) { song in
      let update = await updates.next()
      try check(update?.related.count == 1, "one artist's songs")
      let shown = song.artistID.flatMap { tree[id: $0] }?.1.first
      try check(shown == song, "the fastest song of its artist")
    }
    return [load, times.saves.percentile(0.5), times.saves.percentile(0.99)]
      + [times.edits.percentile(0.5)]
  }

  @MainActor
  private func flatTimes(_ stack: Stack) async throws -> [Double] {
    let live = stack.viewContext.live(BandSong.sorted(by: \.bpm))
    try await live.waitUntilLoaded()
    var updates = live.updates.makeAsyncIterator()
    let times = try await self.times(stack, above: 10_000) { song in
      _ = await updates.next()
      try check(live[id: song.id] == song, "the song")
    }
    return [times.saves.percentile(0.5), times.edits.percentile(0.5)]
  }

  /// Saves songs elsewhere and edits them in the view, each time until the update is there.
  ///
  /// - Parameter speed: a speed below those that the songs get.
  @MainActor
  private func times(
    _ stack: Stack, above speed: Double, update: (BandSong) async throws -> Void
  ) async throws -> (saves: [Double], edits: [Double]) {
    var (saves, edits): ([Double], [Double]) = ([], [])
    for change in 0..<200 {
      let id = 1 + Int(UInt64(change).mixed % UInt64(songs))
      // A song that belongs to no artist changes no tree.
      guard let song = try await stack.viewContext.find(BandSong.self, id),
        let artist = song.artistID, artist >= 1, artist <= artists
      else { continue }
      var changed = song
      changed.bpm = speed + Double(change)
      let (first, second) = (changed, changed.bpm + 1_000)
      let saving = Task.detached {
        let scratch = stack.makeScratch()
        scratch.update(song) { $0.bpm = first.bpm }
        let start = ContinuousClock.now
        try await scratch.save()
        return start
      }
      try await update(first)
      let seen = ContinuousClock.now
      saves.append(try await saving.value.duration(to: seen) / .microseconds(1))
      let watch = Stopwatch()
      stack.viewContext.update(first) { $0.bpm = second }
      edits.append(watch.microseconds)
      changed.bpm = second
      try await update(changed)
      stack.viewContext.rollback()
      try await update(first)
    }
    return (saves, edits)
  }
}
