import Foundation
import StrataImport

/// A way to read a file of ``SongFeed``.
///
/// It runs in a process of its own, so that the peak of memory belongs to it alone.
enum ParserSide: String, CaseIterable {
  /// Strata's scanner, which reads every song into the cells of a row, through a window.
  case scanner
  /// Foundation's `JSONDecoder`, which decodes into structs.
  case decoder
  /// A count of the lines, through a window of the same size: the cost of reading alone.
  case bytes

  struct Outcome {
    var songs: Int
    var milliseconds: Double
    /// The largest resident size in bytes.
    var peakBytes: Int
  }

  /// The argument that makes the program a child process.
  static let argument = "--parse"

  /// Runs this side in a child process.
  func run(_ file: URL, as layout: SongFeed.Layout) throws -> Outcome {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [Self.argument, rawValue, layout.rawValue, file.path]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    guard process.terminationStatus == 0, numbers.count == 3 else {
      throw BenchError("\(rawValue) failed: \(text)")
    }
    return Outcome(
      songs: Int(numbers[0]), milliseconds: numbers[1], peakBytes: Int(numbers[2]))
  }

  /// Reads the file in the child process and prints the outcome.
  static func runChild(_ arguments: [String]) throws {
    guard arguments.count == 3, let side = Self(rawValue: arguments[0]),
      let layout = SongFeed.Layout(rawValue: arguments[1])
    else { throw BenchError("not by hand") }
    let file = URL(fileURLWithPath: arguments[2])
    let watch = Stopwatch()
    let songs =
      switch side {
      case .scanner: try scan(file, layout)
      case .decoder: try decode(file)
      case .bytes: try sum(file)
      }
    print(songs, watch.milliseconds, Memory.peak)
  }

  // MARK: Sides

  private static let columns: [(String, JSONColumn.Kind)] = [
    ("id", .integer), ("title", .text), ("artist.id", .integer), ("artist.name", .text),
    ("artist.country", .text), ("duration", .real), ("trackNumber", .integer), ("rating", .real),
    ("playCount", .integer), ("explicit", .bool), ("releasedAt", .date(.iso8601)),
    ("updatedAt", .date(.iso8601)), ("comment", .text), ("tags", .json),
  ]

  private static func scan(_ file: URL, _ layout: SongFeed.Layout) throws -> Int {
    let plan = try JSONPlan(columns.map { JSONColumn(try JSONPath($0.0), $0.1) })
    var scanner = JSONRecordScanner(layout == .array ? .array : .lines, plan: plan)
    var row = ScannedRecord()
    var songs = 0
    try forEachChunk(file) { chunk in
      scanner.append(chunk)
      while try scanner.next(&row) { songs += 1 }
    }
    scanner.finish()
    while try scanner.next(&row) { songs += 1 }
    return songs
  }

  private static func sum(_ file: URL) throws -> Int {
    var lines = 0
    try forEachChunk(file) { chunk in
      for byte in chunk { lines &+= byte == UInt8(ascii: "\n") ? 1 : 0 }
    }
    return lines
  }

  private static func decode(_ file: URL) throws -> Int {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([FeedSong].self, from: Data(contentsOf: file)).count
  }

  private static func forEachChunk(
    _ file: URL, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 * 1024, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = read(handle.fileDescriptor, buffer.baseAddress, buffer.count), count > 0
    {
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}

/// A song of the feed as `JSONDecoder` reads it.
private struct FeedSong: Decodable {
  struct Artist: Decodable {
    let id: Int
    let name: String
    let country: String
  }

  let id: Int
  let title: String
  let artist: Artist
  let duration: Double
  let trackNumber: Int
  let rating: Double?
  let playCount: Int
  let explicit: Bool
  let releasedAt: Date
  let updatedAt: Date
  let comment: String?
  let tags: [String]
}
