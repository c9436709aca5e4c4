// The declarations that the snippets in the article Testing use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""

  static let schema = Schema<Song>("songs", key: \.id) { Attribute(\.title) }
  static let json = JSONMapping<Song> { Field(\.title, "title") }
}

private struct Artist: Entity {
  var id = UUID.timeOrdered()

  static let schema = Schema<Artist>("artists", key: \.id) {}
}

private struct Stop: Entity {
  var id = 1
  var latitude = 1.0
  var longitude = 0.0

  static let schema = Schema<Stop>("stops", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
  }
  static let pins = AnnotationMapping<Stop>(latitude: \.latitude, longitude: \.longitude)
}

/// The server of the app's tests.
@MainActor private final class TestServer {
  var beforeAnswering: @Sendable () async -> Void = {}
}

@MainActor @Observable private final class Screen { var titles: [String] = [] }

private let song = Song(title: "So What")
private let stop = Stop()
private let catalogue = JSONDocument { JSONRecords(Song.self, at: "songs") }
private let folder = URL(filePath: "Tests/Schemas")
@MainActor private let server = TestServer()
@MainActor private let screen = Screen()
@MainActor private var songs: LiveQuery<Song> { fatalError() }
@MainActor private var feed: Feed { fatalError() }
