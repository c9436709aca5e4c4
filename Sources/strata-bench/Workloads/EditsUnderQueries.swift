import Foundation
import Strata

extension Workload {
  /// A keystroke, and an edit of many rows, beside few and beside many live queries.
  static let editsUnderQueries = Workload(
    name: "W15",
    summary: "growth: a keystroke, and an edit of 20,000 songs, beside 10 to 10,000 live queries",
    isLong: true
  ) { bench in
    var figures: [Figure] = []
    for queries in [10, 100, 1_000, 10_000] {
      figures += try await bench.measure([
        "\(queries) queries: keystroke p50 µs", "\(queries) queries: p99 µs",
        "\(queries) queries: first edit of a row p50 µs",
        "\(queries) queries: edit of 20,000 songs, one turn ms",
      ]) {
        try await bench.withStack(songs: 20_000) { stack in
          try await measureEdits(stack.viewContext, under: queries)
        }
      }
    }
    return figures
  }

  @MainActor
  private static func measureEdits(
    _ view: ViewContext, under queries: Int
  ) async throws -> [Double] {
    let lives = (1...queries).map { number in
      view.live(Song.where { [title = Song(number: number).title] in $0.title == title })
    }
    for live in lives { try await live.waitUntilLoaded() }
    var song = lives[0].elements[0]
    var (keystrokes, first) = ([Double](), [Double]())
    func timed(_ body: () -> Void) -> Double {
      let start = ContinuousClock.now
      body()
      return start.duration(to: .now) / .microseconds(1)
    }
    for number in 0..<1_000 {
      keystrokes.append(timed { song = view.update(song) { $0.bpm = Double(number) } })
    }
    for live in lives.dropFirst().prefix(500) {
      let song = live.elements[0]
      first.append(timed { view.update(song) { $0.bpm = 1 } })
    }
    view.rollback()
    // The turn begins when the songs are fetched, and ends with the call.
    var begin: ContinuousClock.Instant?
    try await view.update(Song.all) { song in
      if begin == nil { begin = .now }
      song.bpm = 1
    }
    let turn = (begin ?? .now).duration(to: .now) / .milliseconds(1)
    return [keystrokes.percentile(0.5), keystrokes.percentile(0.99), first.percentile(0.5), turn]
  }
}
