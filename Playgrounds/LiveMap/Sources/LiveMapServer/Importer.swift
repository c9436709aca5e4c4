import Foundation
import Strata
import StrataImport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The source of the quakes.
enum Feed: Sendable {
  /// The bundled file at the speed of a slow connection, so that the import can be seen.
  case bundled(URL)
  /// A feed on the network.
  case remote(URL)

  /// The words for the feed on a page.
  var name: String {
    switch self {
    case .bundled: "a week of quakes"
    case .remote(let url): url.host() ?? url.lastPathComponent
    }
  }

  /// - Parameter isFast: whether the bundled file comes at its full speed.
  func source(isFast: Bool) -> JSONSource {
    switch self {
    case .bundled(let file):
      let bytes: JSONSource = isFast ? .file(file) : .chunks(SlowFile(url: file))
      return bytes.gunzipped(size: Self.sizeDecompressed(file))
    case .remote(let url): return .response(to: URLRequest(url: url))
    }
  }

  /// Returns the size in bytes of the uncompressed file, which is the last word of a file in gzip
  /// format.
  private static func sizeDecompressed(_ file: URL) -> Int? {
    let end = try? Data(contentsOf: file).suffix(4)
    return end?.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// Imports the feed into the store, away from the main actor.
actor Importer {
  private let scratch: ScratchContext

  init(_ stack: Stack) { scratch = stack.makeScratch() }

  /// Makes the store's quakes equal to the feed's quakes, and keeps the user's notes and deletions.
  func refresh(
    from feed: Feed, isFast: Bool = false, monitor: ImportMonitor? = nil
  ) async throws -> ImportResult {
    var options = ImportOptions()
    // Small batches of the small feed make many small steps on the map.
    if case .bundled = feed { options.longestTransaction = .milliseconds(1) }
    return try await scratch.importJSON(
      Sighting.self, from: feed.source(isFast: isFast), as: .featureCollection,
      mapping: Sighting.json,
      absent: .delete(within: Sighting.quakes), options: options, monitor: monitor)
  }
}

/// A file of which 4 KB arrive every 40 milliseconds.
private struct SlowFile: AsyncSequence, Sendable {
  typealias Element = Data

  let url: URL

  struct Iterator: AsyncIteratorProtocol {
    let url: URL
    var file: FileHandle?

    mutating func next() async throws -> Data? {
      if let file {
        try await Task.sleep(for: .milliseconds(40))
        return try file.read(upToCount: 4 << 10)
      }
      let opened = try FileHandle(forReadingFrom: url)
      file = opened
      return try opened.read(upToCount: 4 << 10)
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(url: url) }
}
