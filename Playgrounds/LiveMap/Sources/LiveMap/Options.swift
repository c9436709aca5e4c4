import Foundation

/// The options of the command line.
struct Options {
  var port: UInt16 = 8080
  /// The store's file; nil for a temporary store that is removed at the end.
  var store: URL?
  /// A feed to import instead of the bundled one.
  var feed: URL?
  /// Whether the first page finds the store as it is, without an import and balloons.
  var isQuiet = false

  static let usage = """
    usage: LiveMap [--port NUMBER] [--store FILE] [--feed URL] [--quiet]

      --port    8080 unless given; 0 for any that is free
      --store   keeps what is on the map in a file
      --feed    imports this feed, such as
                https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_month.geojson
      --quiet   begins without an import and without balloons
    """

  struct Misused: Error {}

  struct PortTaken: Error, CustomStringConvertible {
    let port: UInt16
    var description: String { "port \(port) is taken, or not for everybody; try --port 0" }
  }

  init(_ arguments: some Sequence<String>) throws {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      if name == "--quiet" {
        isQuiet = true
        continue
      }
      guard let value = arguments.next() else { throw Misused() }
      switch name {
      case "--port":
        guard let number = UInt16(value) else { throw Misused() }
        port = number
      case "--store": store = URL(fileURLWithPath: value)
      case "--feed":
        guard let url = URL(string: value), url.scheme != nil else { throw Misused() }
        feed = url
      default: throw Misused()
      }
    }
  }
}
