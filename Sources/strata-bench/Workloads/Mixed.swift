import Foundation
import Strata
import Synchronization

extension Workload {
  /// A task or thread that commits, and another that reads pages meanwhile.
  static let mixed = Workload(
    name: "W8", summary: "10,000 one-row commits beside a reader of sorted pages of 50"
  ) { bench in
    let songs = Song.generated(100_000)
    let edits = (0..<10_000).map { number in
      var song = songs[Int(UInt64(number + 999).mixed % UInt64(songs.count))]
      song.bpm += 1
      return song
    }
    return try await bench.compare(["µs a commit", "µs a page"]) {
      try await bench.withStack(songs: songs.count) { stack in
        let isDone = DoneFlag()
        async let pages = readPages(stack, until: isDone)
        let commit = try await write(stack, edits)
        isDone.raise()
        return [commit, try await pages]
      }
    } raw: {
      let url = try await bench.newStore(songs: songs.count)
      defer { bench.remove(url) }
      let isDone = DoneFlag()
      let pages = Task.detached { try await readPages(url, until: isDone) }
      let commit = try write(RawConnection(url.path), edits)
      isDone.raise()
      return [commit, try await pages.value]
    }
  }

  @concurrent
  private static func write(_ stack: Stack, _ edits: [Song]) async throws -> Double {
    let watch = Stopwatch()
    for song in edits {
      let scratch = stack.makeScratch()
      scratch.upsert(song)
      try await scratch.save()
    }
    return watch.microseconds / Double(edits.count)
  }

  @concurrent
  private static func readPages(_ stack: Stack, until isDone: DoneFlag) async throws -> Double {
    let watch = Stopwatch()
    var count = 0
    while !isDone.isRaised {
      let start = Pages.starts[count % Pages.starts.count]
      let page = try await stack.fetch(Pages.query(start))
      try check(page.first.map { $0.title >= start } != false, "a page")
      count += 1
    }
    return watch.microseconds / Double(count)
  }

  private static func write(_ raw: RawConnection, _ edits: [Song]) throws -> Double {
    let watch = Stopwatch()
    try raw.commitEach(edits)
    return watch.microseconds / Double(edits.count)
  }

  @concurrent
  private static func readPages(_ url: URL, until isDone: DoneFlag) async throws -> Double {
    let raw = try RawConnection(url.path)
    let select = try raw.prepare(Pages.sql)
    let watch = Stopwatch()
    var count = 0
    while !isDone.isRaised {
      let start = Pages.starts[count % Pages.starts.count]
      select.bind(1, start)
      let page = try select.songs()
      try check(page.first.map { $0.title >= start } != false, "a page")
      count += 1
    }
    return watch.microseconds / Double(count)
  }
}

/// A flag that one thread raises once for another thread.
final class DoneFlag: Sendable {
  private let flag = Atomic(false)

  var isRaised: Bool { flag.load(ordering: .relaxed) }

  func raise() { flag.store(true, ordering: .relaxed) }
}
