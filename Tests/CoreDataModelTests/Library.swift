// The entities of Library.xcdatamodeld. A note marks each part that could not be carried over.

import Foundation
import Strata

struct Album: Entity {
  var barcode = ""
  // Core Data kept large values of cover in files: here they are in the row.
  var cover: Data?
  var price: Decimal? = Decimal(string: "9.99") ?? 0
  var released: Date?
  // songCount was derived, songs.@count: compute it, or query for it.
  var title = "Untitled \"album\""
  var artistID: Artist.ID?
  var labelID: Label.ID = Label.ID()

  var id: String { barcode }

  static let artist = toOne(\.artistID, Artist.self, onDelete: .deny)
  // label is required: it cannot be deleted before this.
  static let label = toOne(\.labelID, Label.self, onDelete: .deny)
  // songs: only those of the kind song.
  static let songs = toMany(\Media.albumID, orderedBy: \Media.albumPosition)
  static let schema = Schema<Album>("albums", key: \.barcode) {
    Attribute(\.cover)
    Attribute(\.price)
    Attribute(\.released)
    Attribute(\.title).validated(length: 1...200)
    artist
    label
    songs
    Unique(\.title, \.artistID)
  }
}

// Artist was Musician in an earlier model.
// User info of Artist: com.example.sync = artists
// The fetched property newAlbums was Album where artist == $FETCH_SOURCE AND released > now():
// write a query.
struct Artist: Entity {
  // id was optional: a row without it needs a key of its own.
  // Core Data let several have one id: here they are one.
  var id = UUID.timeOrdered()
  var latitude: Double?
  var longitude: Double?
  // name was fullName in an earlier model.
  var name: String?
  var website: URL?

  static let albums = toMany(\Album.artistID)
  // biography has one element at most.
  static let biography = toMany(\Biography.artistID)
  static let influences = manyToMany(inverseOf: \Artist.Type.influencedBy)
  static let influencedBy = manyToMany(Artist.self, "influencedBy")
  static let nicknamesInLinerNotes = toMany(
    \Nickname.artistInLinerNotesID, orderedBy: \Nickname.artistInLinerNotesPosition)
  static let byPlace = spatial(\.latitude, \.longitude)
  // The index byLength of length:(name) is not carried over.
  static let schema = Schema<Artist>("artists", key: \.id) {
    Attribute(\.latitude)
    Attribute(\.longitude)
    Attribute(\.name).indexed()
    Attribute(\.website).required()
    albums
    biography
    influences
    influencedBy
    nicknamesInLinerNotes
    byPlace
  }
}

struct Biography: Entity {
  var id = Key<Biography>()
  var text = ""
  var artistID: Artist.ID = Artist.ID()

  static let artist = toOne(\.artistID, Artist.self, onDelete: .cascade)
  static let schema = Schema<Biography>("biographies", key: \.id) {
    Attribute(\.text)
    Unique(\.artistID)
    artist
  }
}

struct DataEntity: Entity {
  var id = Key<DataEntity>()
  var createdAt = Date(timeIntervalSinceReferenceDate: 694224000.0)
  // anything had no type.
  var balance: Decimal?
  var `default` = true
  var offset: Int16 = -2
  // payload was a Settings that a transformer archived: a Codable type that conforms to JSONValue
  // takes its place.
  var payload: Data?
  var words: [String]?

  static let schema = Schema<DataEntity>("datas", key: \.id) {
    Attribute(\.createdAt)
    Attribute(\.balance).validated((Decimal(string: "0.5") ?? 0)...10)
    Attribute(\.`default`)
    Attribute(\.offset).validated(-5...(-1))
    Attribute(\.payload)
    Attribute(\.words)
  }
}

struct Label: Entity {
  var id = Key<Label>()
  var createdAt = Date(timeIntervalSinceReferenceDate: 694224000.0)
  // home was a composite: make it a struct that conforms to Embedded.
  // id is identifier here: id is the key.
  var identifier = 0.0
  var name: String?

  static let albums = toMany(\Album.labelID)
  static let schema = Schema<Label>("labels", key: \.id) {
    Attribute(\.createdAt)
    Attribute(\.identifier)
    Attribute(\.name).validated(matching: #/[A-Z].*/#)
    albums
  }
}

// Media, with Audiobook and Song, which inherited from it: they share a table, as they did.
struct Media: Entity {
  enum Kind: String, AttributeValue { case audiobook, song }

  var id = Key<Media>()
  var entityKind = Kind.audiobook
  var duration: Float = 0.0
  var title: String?
  var narrator: String?
  var kind: String?
  var plays: Int16? = 0
  // shout was transient: compute it.
  var albumID: Album.ID?
  var albumPosition = 0.0

  static let playlists = manyToMany(inverseOf: \Playlist.Type.items)
  static let album = toOne(\.albumID, Album.self, onDelete: .cascade)
  static let schema = Schema<Media>("medias", key: \.id) {
    Attribute(\.entityKind)
    Attribute(\.duration).validated(0.0...)
    Attribute(\.title)
    Attribute(\.narrator)
    Attribute(\.kind)
    Attribute(\.plays).validated(0...1000)
    playlists
    Attribute(\.albumPosition)
    album
    Index(\.title, \.duration)
  }
}

struct Nickname: Entity {
  var id = Key<Nickname>()
  var artistInLinerNotesID: Artist.ID?
  var artistInLinerNotesPosition = 0.0

  static let artistInLinerNotes = toOne(\.artistInLinerNotesID, Artist.self, onDelete: .cascade)
  static let schema = Schema<Nickname>("nicknames", key: \.id) {
    Attribute(\.artistInLinerNotesPosition)
    artistInLinerNotes
  }
}

struct Nothing: Entity {
  var id = Key<Nothing>()

  static let schema = Schema<Nothing>("nothings", key: \.id) {}
}

struct Playlist: Entity {
  var id = Key<Playlist>()
  var name: String?

  static let items = manyToMany(Media.self, ordered: true)
  // owner led to Person, which this model does not have.
  static let schema = Schema<Playlist>("playlists", key: \.id) {
    Attribute(\.name)
    items
  }
}

// Dated was abstract, and nothing referred to it: its attributes are in Data and Label.
// The composite Address was city: String.
// The fetch request recent was Album where released > $DATE: write a query.
// The configuration Cloud was Album: a stack of these alone is a file of their own, to which
// nothing in another one refers.
