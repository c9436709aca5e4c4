// The declarations that the snippets in Strata's articles and comments use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var bpm: Double?
  var duration = 0.0
  var genre = ""
  var year: Int?
  var released = Date.distantPast
  var plays = 0
  var skips = 0
  var loved = false
  var position = 0.0
  var artistID: Artist.ID?
  var albumID: Album.ID?

  static let artist = toOne(\.artistID, Artist.self)
  static let album = toOne(\.albumID, Album.self)
  static let moods = manyToMany(Mood.self)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.bpm)
    Attribute(\.duration)
    Attribute(\.genre)
    Attribute(\.year)
    Attribute(\.released)
    Attribute(\.plays)
    Attribute(\.skips)
    Attribute(\.loved)
    Attribute(\.position)
    artist
    album
    moods
  }
  static let fast = Song.where { $0.bpm > 140 }
}

private struct Artist: Entity {
  var id = UUID.timeOrdered()
  var name = ""

  static let songs = toMany(\Song.artistID)
  static let albums = toMany(\Album.artistID)
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.name)
    songs
    albums
  }
}

private struct Album: Entity {
  var id = UUID.timeOrdered()
  var name = ""
  var artistID: Artist.ID?

  static let artist = toOne(\.artistID, Artist.self)
  static let songs = toMany(\Song.albumID, orderedBy: \Song.position)
  static let schema = Schema<Album>("albums", key: \.id) {
    Attribute(\.name)
    artist
    songs
  }
}

private struct Mood: Entity {
  var id = ""

  static let schema = Schema<Mood>("moods", key: \.id) {}
}

private struct Note: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var body: String?

  static let tags = manyToMany(Tag.self)
  static let mentions = manyToMany(Note.self, "mentions")
  static let schema = Schema<Note>("notes", key: \.id) {
    Attribute(\.title)
    Attribute(\.body)
    tags
    mentions
  }
}

private struct Tag: Entity {
  var id = ""

  static let schema = Schema<Tag>("tags", key: \.id) {}
}

private struct Quake: Entity {
  var id = UUID.timeOrdered()
  var time = Date.distantPast
  var isFavourite = false

  static let schema = Schema<Quake>("quakes", key: \.id) {
    Attribute(\.time)
    Attribute(\.isFavourite)
  }
}

private struct Booking: Entity {
  var id = UUID.timeOrdered()
  var name = ""
  var code = ""
  var guests = 1
  var price = 0.0
  var room: String?
  var begins = Date.distantPast
  var ends = Date.distantFuture

  static let schema = Schema<Booking>("bookings", key: \.id) {}
}

/// The app's own connection to its server.
private struct Server {
  @discardableResult func create(_ song: Song) async throws -> Song.ID { song.id }
  func send(_ kind: PushRequest.Kind, _ song: Song, only attributes: Set<String>) async throws {}
  func patch(_ song: Song, _ attributes: Set<String>) async throws {}
  func delete(_ path: String) async throws {}
}

/// The app's own list view.
@MainActor private struct Table {
  func apply(
    _ deletions: [Int], _ insertions: [Int], _ moves: [LiveUpdate<Song>.Move],
    _ edits: [LiveUpdate<Song>.Edit]
  ) {}
}

private let server = Server()
private let album = Song.all
private let onlyLoved = true
private let harbour = Coordinate(latitude: 54.3, longitude: 10.1)
private let limit = 100.0
private let start = Date.now
private let end = Date.distantFuture
private let word = "grace"
private let field = "gra"
private let id = Song.ID()
private let ids = [id]
private let feed = [Song(title: "So What")]
private let song = Song(title: "So What")
private let other = Song(title: "Blue in Green")
@MainActor private let table = Table()
@MainActor private var view: ViewContext { fatalError() }
@MainActor private var outbox: Outbox { fatalError() }
@MainActor private var songs: LiveQuery<Song> { fatalError() }
@MainActor private var options = Stack.Options()
@MainActor private var task: Task<Void, Never>?
@MainActor private var token: HistoryToken?
@MainActor private var lastSynced: HistoryToken?
private func ask(_ mine: Song?, _ theirs: Song?) async -> Bool { false }
private func export(_ songs: [Song]) {}
private func push(_ song: Song) async throws {}
@MainActor private func showConflicts() {}
private func push(_ changes: Changes<Song>) async throws {}

#if !canImport(Darwin)
  extension URL {
    fileprivate static var applicationSupportDirectory: URL { URL(filePath: "/") }
  }
#endif

private struct Invoice: Entity {
  var id = Key<Invoice>()
  var number = 0

  static let schema = Schema<Invoice>("invoices", key: \.id) { Attribute(\.number).unique() }
}

private struct Conversation: Entity {
  var id = Key<Conversation>()
  var newest = Date.distantPast

  static let schema = Schema<Conversation>("conversations", key: \.id) { Attribute(\.newest) }
}

private struct Message: Entity {
  var id = Key<Message>()
  var conversationID = Conversation.ID()
  var sent = Date.now
  var text = ""

  static let schema = Schema<Message>("messages", key: \.id) {
    toOne(\.conversationID, Conversation.self, onDelete: .cascade)
    Attribute(\.sent)
    Attribute(\.text)
  }
}

private let conversation = Conversation()
