import Foundation
import Strata
import Synchronization

extension Workload {
  /// The growth of the cost of a commit with the number of writers.
  static let writers = Workload(
    name: "W14", summary: "growth: 8,000 one-row commits by 1 to 16 writers at once", isLong: true
  ) { bench in
    var figures: [Figure] = []
    for writers in [1, 2, 4, 8, 16] {
      figures += try await bench.compare(["\(writers) writers, µs a commit"]) {
        try await bench.withStack(songs: songCount) { stack in
          let watch = Stopwatch()
          try await withThrowingTaskGroup { group in
            for writer in 0..<writers {
              group.addTask { try await commit(stack, edits(of: writer, of: writers)) }
            }
            try await group.waitForAll()
          }
          return [watch.microseconds / Double(commitCount)]
        }
      } raw: {
        let url = try await bench.newStore(songs: songCount)
        defer { bench.remove(url) }
        return [try rawCommits(url, writers) / Double(commitCount)]
      }
    }
    return figures
  }

  private static let songCount = 10_000
  private static let commitCount = 8_000

  /// Returns the new songs of a writer; no two writers change the same song.
  private static func edits(of writer: Int, of writers: Int) -> [Song] {
    (0..<commitCount / writers).map { edit in
      var song = Song(number: 1 + writer + edit * writers)
      song.bpm += 1
      return song
    }
  }

  @concurrent
  private static func commit(_ stack: Stack, _ edits: [Song]) async throws {
    let scratch = stack.makeScratch()
    for song in edits {
      scratch.upsert(song)
      try await scratch.save()
    }
  }

  /// Returns the microseconds until all threads have committed, each with a connection of its own.
  private static func rawCommits(_ url: URL, _ writers: Int) throws -> Double {
    let failure = Mutex<(any Error)?>(nil)
    let ended = DispatchSemaphore(value: 0)
    let watch = Stopwatch()
    for writer in 0..<writers {
      Thread.detachNewThread {
        do { try RawConnection(url.path).commitEach(edits(of: writer, of: writers)) } catch {
          failure.withLock { $0 = error }
        }
        ended.signal()
      }
    }
    for _ in 0..<writers { ended.wait() }
    let time = watch.microseconds
    if let failure = failure.withLock({ $0 }) { throw failure }
    return time
  }
}
