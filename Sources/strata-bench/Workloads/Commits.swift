import Foundation
import Strata

extension Workload {
  /// The cost of a commit: alone, with a look for other processes, and with a history.
  static let commits = Workload(
    name: "H1", summary: "10,000 one-row commits: alone, watching other processes, with history"
  ) { bench in
    let metrics = ["alone p50 µs", "watching p50 µs", "watching, history p50 µs"]
    return try await bench.compare(metrics) {
      try await strataCommits(bench)
    } raw: {
      let median = try await rawCommits(bench)
      return [median, median, median]
    }
  }

  private static let count = 10_000

  /// Returns the median times in microseconds of saves that change one of a thousand songs.
  ///
  /// The stacks commit in turn, because the differences are small.
  @MainActor
  private static func strataCommits(_ bench: Bench) async throws -> [Double] {
    var options = [Stack.Options(), Stack.Options(), Stack.Options()]
    options[0].watchesOtherProcesses = false
    options[2].history = .keep(for: .seconds(86_400))
    return try await bench.withStack(songs: 1_000, options: options[0]) { alone in
      try await bench.withStack(songs: 1_000, options: options[1]) { watching in
        try await bench.withStack(songs: 1_000, options: options[2]) { recorded in
          let stacks = [alone, watching, recorded]
          return try await Task { @concurrent in try await commits(stacks) }.value
        }
      }
    }
  }

  @concurrent
  private static func commits(_ stacks: [Stack]) async throws -> [Double] {
    let songs = Song.generated(1_000)
    var times = [[Double]](repeating: [], count: stacks.count)
    for number in 0..<count {
      for (index, stack) in stacks.enumerated() {
        let scratch = stack.makeScratch()
        var song = songs[number * 7 % songs.count]
        song.bpm = Double(number + 1_000)
        let watch = Stopwatch()
        scratch.upsert(song)
        try await scratch.save()
        times[index].append(watch.microseconds)
      }
    }
    return times.map { $0.percentile(0.5) }
  }

  @MainActor
  private static func rawCommits(_ bench: Bench) async throws -> Double {
    try await bench.withRaw(songs: 1_000) { raw in
      let songs = Song.generated(1_000)
      let upsert = try raw.prepare(SongSQL.upsert)
      var times: [Double] = []
      for number in 0..<count {
        var song = songs[number * 7 % songs.count]
        song.bpm = Double(number + 1_000)
        let watch = Stopwatch()
        try raw.transaction {
          upsert.bind(song)
          try upsert.run()
        }
        times.append(watch.microseconds)
      }
      return times.percentile(0.5)
    }
  }
}
