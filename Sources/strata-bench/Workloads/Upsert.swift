import Foundation
import Strata

/// The songs that are upserted over 100,000 stored songs.
enum UpsertCase: String, CaseIterable {
  case halfChanged = "half changed ms"
  case noneChanged = "none changed ms"
  case bpmOnly = "half changed, bpm only ms"

  var songs: [Song] {
    let stored = Song.generated(100_000)
    return switch self {
    case .noneChanged: stored
    case .bpmOnly: stored.changingEverySecond { $0.bpm += 1 }
    case .halfChanged:
      stored.changingEverySecond { song in
        song.title = "New " + song.title
        song.bpm += 1
        song.updatedAt += 1000
      }
    }
  }
}

extension Workload {
  /// Upserts of stored songs, part of them with new values.
  static let upsert = Workload(
    name: "W2", summary: "upsert 100,000 stored songs: half changed, none changed, only the bpm"
  ) { bench in
    var figures: [Figure] = []
    for each in UpsertCase.allCases {
      figures += try await upsert(each.rawValue, each.songs, bench)
    }
    return figures
  }

  @MainActor
  private static func upsert(
    _ metric: String, _ songs: [Song], _ bench: Bench
  ) async throws -> [Figure] {
    let rows = songs.count
    return try await bench.compare([metric]) {
      try await bench.withStack(songs: rows, verify: { try SongTable($0).verify(songs) }) { stack in
        let watch = Stopwatch()
        let scratch = stack.makeScratch()
        for song in songs { scratch.upsert(song) }
        let commit = try await scratch.save()
        let time = watch.milliseconds
        try await stack.viewContext.waitUntilMerged(commit)
        return [time]
      }
    } raw: {
      try await bench.withRaw(songs: rows, verify: { try SongTable($0).verify(songs) }) { raw in
        let watch = Stopwatch()
        let upsert = try raw.prepare(SongSQL.upsert)
        try raw.transaction {
          for song in songs {
            upsert.bind(song)
            try upsert.run()
          }
        }
        return [watch.milliseconds]
      }
    }
  }
}

extension [Song] {
  fileprivate func changingEverySecond(_ change: (inout Song) -> Void) -> [Song] {
    map { song in
      var song = song
      if song.id.isMultiple(of: 2) { change(&song) }
      return song
    }
  }
}
