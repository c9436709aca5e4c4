import Foundation
import Strata
import StrataImport

/// An entity that the user edits while an import runs.
private struct Note: Entity {
  var id = 0
  var text = ""

  static let schema = Schema<Note>("notes", key: \.id) { Attribute(\.text) }
}

extension Workload {
  /// The cost of a record in files of 10,000 to 5,000,000 records.
  static let importGrowth = Workload(
    name: "W9g", summary: "import files of 10,000 to 5,000,000 JSON objects", isLong: true
  ) { bench in
    var figures: [Figure] = []
    for count in [10_000, 100_000, 1_000_000, 5_000_000] {
      let file = try songFile(count, bench)
      figures += try await bench.measure(["\(count) records, µs a record"]) {
        try await bench.withStack(ImportedSong<TitleIndex>.self, songs: 0) { stack in
          [try await importing(file, count, into: stack, DoneFlag())]
        }
      }
      bench.remove(file)
    }
    return figures
  }

  /// The time of a save of the view context while an import runs.
  static let importSaves = Workload(
    name: "W9s", summary: "saves of the view context during an import of 1,000,000 JSON objects",
    isLong: true
  ) { bench in
    let count = 1_000_000
    let file = try songFile(count, bench)
    let metrics = ["a save p50 ms", "a save p99 ms", "the worst save, ms", "µs a record"]
    return try await bench.measure(metrics) {
      let stack = try await Stack.temporary(Note.self, ImportedSong<TitleIndex>.self)
      let isDone = DoneFlag()
      async let perRecord = importing(file, count, into: stack, isDone)
      var times: [Double] = []
      while !isDone.isRaised {
        stack.viewContext.insert(Note(id: times.count, text: "A note"))
        let watch = Stopwatch()
        try await stack.viewContext.save()
        times.append(watch.milliseconds)
        try await Task.sleep(for: .milliseconds(5))
      }
      let cost = try await perRecord
      await stack.close()
      return [times.percentile(0.5), times.percentile(0.99), times.percentile(1), cost]
    }
  }

  @concurrent
  private static func importing(
    _ file: URL, _ count: Int, into stack: Stack, _ isDone: DoneFlag
  ) async throws -> Double {
    defer { isDone.raise() }
    let watch = Stopwatch()
    let result = try await ImportedSong<TitleIndex>.importSongs(file, into: stack)
    try check(result.inserted == count, "\(result.inserted) inserted of \(count)")
    return watch.microseconds / Double(count)
  }

  /// Writes a file of songs with an object on each line.
  @MainActor
  private static func songFile(_ count: Int, _ bench: Bench) throws -> URL {
    let file = bench.newFile("json")
    try Data("[\n".utf8).write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    for start in stride(from: 1, through: count, by: 1_000) {
      let numbers = start...min(start + 999, count)
      let lines = numbers.map { Song(number: $0).json }.joined(separator: ",\n")
      try handle.write(contentsOf: Data((lines + (numbers.last == count ? "\n]\n" : ",\n")).utf8))
    }
    try handle.close()
    return file
  }
}
