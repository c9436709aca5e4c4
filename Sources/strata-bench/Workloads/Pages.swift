import Foundation
import Strata

/// Pages of 50 songs by title, of 100,000 songs without the hidden ones.
enum Pages {
  static let sql =
    "\(SongSQL.select) WHERE hidden = 0 AND title >= ? ORDER BY title, id LIMIT 50"

  static func query(_ start: String) -> Query<Song> {
    Song.where { !$0.hidden && $0.title >= start }.sorted(by: \.title).limit(50)
  }

  /// The titles at which pages begin.
  static let starts = (0..<2_000).map {
    Song(number: Int(UInt64($0 + 77).mixed % 100_000) + 1).title
  }
}

extension Workload {
  /// The fetches of a list that scrolls, or of a search during typing.
  static let pages = Workload(
    name: "W4", summary: "2,000 filtered, sorted pages of 50 songs, of 100,000"
  ) { bench in
    let songs = 100_000
    let starts = Pages.starts
    return try await bench.withStack(songs: songs) { stack in
      try await bench.withRaw(songs: songs) { raw in
        let select = try raw.prepare(Pages.sql)
        func page(_ start: String) throws -> [Song] {
          select.bind(1, start)
          return try select.songs()
        }
        for start in starts.prefix(20) {
          let found = try await stack.viewContext.fetch(Pages.query(start))
          try check(found == page(start), "the page from \(start)")
        }
        let metrics = ["2,000 pages, view ms", "2,000 pages, scratch ms"]
        let inView: Floor = { $1[0] + Double(starts.count) * $0.roundTrip / 1000 }
        return try await bench.compare(metrics, floors: [inView, nil]) {
          var count = 0
          let view = Stopwatch()
          for start in starts {
            count += try await stack.viewContext.fetch(Pages.query(start)).count
          }
          let viewTime = view.milliseconds
          let (scratchTime, other) = try await pagesInScratch(stack, starts.map(Pages.query))
          try check(count == other, "\(count) songs in the view's pages, \(other) in a worker's")
          return [viewTime, scratchTime]
        } raw: {
          try raw.execute("BEGIN")
          var count = 0
          let watch = Stopwatch()
          for start in starts { count += try page(start).count }
          let time = watch.milliseconds
          try raw.execute("COMMIT")
          try check(count > 49 * starts.count, "\(count) songs in SQLite's pages")
          return [time, time]
        }
      }
    }
  }

  /// Returns the time of the pages for a task outside of the main actor, and the number of songs.
  @concurrent
  private static func pagesInScratch(
    _ stack: Stack, _ queries: [Query<Song>]
  ) async throws -> (milliseconds: Double, songs: Int) {
    let scratch = stack.makeScratch()
    // This read pins the snapshot.
    _ = try await scratch.find(Song.self, 1)
    var count = 0
    let watch = Stopwatch()
    for query in queries { count += try await scratch.fetch(query).count }
    return (watch.milliseconds, count)
  }
}
