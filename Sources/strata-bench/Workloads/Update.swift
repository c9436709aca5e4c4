import Strata

extension Workload {
  /// Updates by a query, whose rows no context needs.
  static let update = Workload(
    name: "W13", summary: "add 1 to the bpm of all of 100,000 songs, and of every tenth, by a query"
  ) { bench in
    let stored = Song.generated(100_000)
    func updated(_ isUpdated: (Song) -> Bool) -> [Song] {
      stored.map { song in
        var song = song
        if isUpdated(song) { song.bpm += 1 }
        return song
      }
    }
    return try await update("all ms", Song.all, "", updated { _ in true }, bench)
      + update(
        "every tenth ms", Song.where { $0.id % 10 == 0 }, " WHERE id % 10 = 0",
        updated { $0.id % 10 == 0 }, bench)
  }

  @MainActor
  private static func update(
    _ metric: String, _ query: Query<Song>, _ condition: String, _ songs: [Song], _ bench: Bench
  ) async throws -> [Figure] {
    let rows = songs.count
    return try await bench.compare([metric]) {
      try await bench.withStack(songs: rows, verify: { try SongTable($0).verify(songs) }) { stack in
        let watch = Stopwatch()
        try await stack.update(query, .set(\.bpm) { $0.bpm + 1 })
        return [watch.milliseconds]
      }
    } raw: {
      try await bench.withRaw(songs: rows, verify: { try SongTable($0).verify(songs) }) { raw in
        let watch = Stopwatch()
        try raw.execute("UPDATE songs SET bpm = bpm + 1\(condition)")
        return [watch.milliseconds]
      }
    }
  }
}
