// The declarations that the snippets in StrataReplica's articles and comments use.

private struct Song: Entity {
  var id = UUID.timeOrdered()
  var title = ""
  var plays = 0
  var albumID: Album.ID?

  static let album = toOne(\.albumID, Album.self, onDelete: .nullify)
  static let schema = Schema<Song>("songs", key: \.id) {
    Attribute(\.title)
    Attribute(\.plays)
    album
    moods
  }
  static let moods = manyToMany(Mood.self)
}

private struct Mood: Entity {
  var id = ""
  var rank = 0

  static let schema = Schema<Mood>("moods", key: \.id) { Attribute(\.rank) }
}

private struct Album: Entity {
  var id = 0
  var year = 0

  static let schema = Schema<Album>("albums", key: \.id) { Attribute(\.year) }
}

@MainActor private var replica: Replica { fatalError("compiled only") }

@MainActor private let stack: Stack = { fatalError("compiled only") }()
private let song = Song()
