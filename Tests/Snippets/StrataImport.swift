// The declarations that the snippets in StrataImport's articles and comments use.

private struct Song: Entity {
  var id = 0
  var title = ""
  var bpm: Double?
  var genre = Genre.other
  var plays = 0
  var releasedAt = Date.distantPast
  var updatedAt = Date.distantPast
  var artistID: Artist.ID?
  var albumID: Int?

  static let artist = toOne(\.artistID, Artist.self)
  static let playlists = manyToMany(Playlist.self)
  static let tags = manyToMany(Tag.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.genre)
    Attribute(\.plays)
    Attribute(\.releasedAt)
    Attribute(\.updatedAt)
    artist
    toOne(\.albumID, Album.self)
    playlists
    tags
  }
  static let json = JSONMapping<Song> {
    Field(\.id, "id")
    Field(\.title, "title")
  }
  static let api = json
}

private enum Genre: String, AttributeValue { case jazz, other }

private struct Artist: Entity {
  var id = 0
  var name = ""

  static let schema = Schema<Artist>("artists", key: \.id) { Attribute(\.name) }
  static let json = JSONMapping<Artist> {
    Field(\.id, "id")
    Field(\.name, "name")
  }
  static let api = json
}

private struct Album: Entity {
  var id = 0

  static let songs = toMany(\Song.albumID)
  static let tracks = toMany(\Track.albumID)
  static let schema = Schema<Album>("albums", key: \.id) {
    songs
    tracks
  }
}

private struct Track: Entity {
  var id = ""
  var albumID = 0

  static let schema = Schema<Track>("tracks", key: \.id) {
    toOne(\.albumID, Album.self, onDelete: .cascade)
  }
  static let json = JSONMapping<Track> { Field(\.id, "id") }
}

private struct Stop: Entity {
  var id = ""
  var name = ""

  static let schema = Schema<Stop>("stops", key: \.id) { Attribute(\.name) }
}

private struct Note: Entity {
  var id = 0
  var localID: UUID?
  var title = ""

  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.localID).unique()
    Attribute(\.title)
  }
}

private struct Playlist: Entity {
  var id = 0

  static let schema = Schema<Playlist>("playlists", key: \.id) {}
}

private struct Tag: Entity {
  var id = 0

  static let schema = Schema<Tag>("tags", key: \.id) {}
  static let json = JSONMapping<Tag> { Field(\.id, "id") }
}

/// The app's own connection to its server.
private struct Server {
  func put(_ body: Data, at path: String) async throws {}
  func delete(_ path: String) async throws {}
  func other(_ request: PushRequest) async throws -> PushVerdict { .done }
}

private actor Upload {
  func send(_ chunk: Data) async throws {}
}

private let server = Server()
private let upload = Upload()
private let file = JSONSource.data(Data())
private let album = 1
private let request = URLRequest(url: URL(filePath: "/"))
private func query(after cursor: String?) -> URLRequest { request }
private func body(after cursor: String) -> Data { Data(cursor.utf8) }
@MainActor private var banner = ""
@MainActor private var outbox: Outbox { fatalError() }
@MainActor private var songs = Feed("songs", Song.self, from: request)

/// An app's HTTP client other than URLSession.
private struct HTTPClient {
  func send(_ request: URLRequest) async throws -> (HTTPURLResponse, AsyncStream<Data>) {
    throw URLError(.unsupportedURL)
  }
}

private let client = HTTPClient()
