// The declarations that the snippets in StrataTesting's articles and comments use.

private struct Song: Entity {
  var id = 0
  var title = ""
  var artistID: Artist.ID?

  static let artist = toOne(\.artistID, Artist.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    artist
  }
  static let json = JSONMapping<Song> { Field(\.id, "id") }
}

private struct Artist: Entity {
  var id = 0

  static let schema = Schema<Artist>("artists", key: \.id) {}
}

private struct Stop: Entity {
  var id = 0
  var latitude = 0.0
  var longitude = 0.0

  static let schema = Schema<Stop>("stops", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
  static let pins = AnnotationMapping<Stop>(latitude: \.latitude, longitude: \.longitude)
}

/// The app's own screen.
@MainActor @Observable private final class Screen {
  var titles: [String] = []
}

/// The server of the app's tests.
private struct TestServer {
  init(_ respond: @escaping @Sendable () async -> Data) {}
}

private let page = Data()
private let folder = URL(filePath: "Tests/Schemas")
private let song = Song()
private let catalogue = JSONDocument { JSONRecords(at: "songs", Song.json) }
private let feed = Feed("songs", Song.self, from: URLRequest(url: folder))
private let id = RecordKey(.integer(1))
private let place = Coordinate(latitude: 48, longitude: 16)
@MainActor private let screen = Screen()
@MainActor private let surface = RecordingSurface()
@MainActor private var songs: LiveQuery<Song> { fatalError() }
@MainActor private var live: LiveQuery<Stop> { fatalError() }
@MainActor private var refresher: Refresher { fatalError() }
